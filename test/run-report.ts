import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, TestRunEndReason } from 'vitest/node'

/** The result of a run, for `npm test`. */
export interface RunReport {
  files: Record<string, FileResult>
  /** Errors that belong to no file. */
  errors: string[]
}

interface FileResult {
  seconds: number
  /** By full name, which no two tests of a file share. */
  tests: Record<string, TestResult>
  /** Errors outside the tests: an import, a hook, a promise that nothing awaited, a name that two tests share. */
  errors: string[]
}

interface TestResult {
  state: 'passed' | 'failed' | 'skipped'
  /** The first error of a test that failed. */
  error?: string
}

/** Writes a RunReport to the file. */
export class ReportToFile implements Reporter {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
    _reason: TestRunEndReason,
  ): void {
    const report: RunReport = { files: {}, errors: [] }
    for (const module of modules) {
      const tests: FileResult['tests'] = {}
      const shared: string[] = []
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        const name = test.fullName
        if (tests[name]) shared.push(`two tests are called "${name}"`)
        // A test that passed never hides one that failed.
        if (tests[name]?.state === 'failed') continue
        const [error] = errors ?? []
        tests[name] = {
          state: state === 'pending' ? 'skipped' : state,
          ...(error && { error: error.message }),
        }
      }
      const suites = [...module.children.allSuites()]
      const errors = [module, ...suites].flatMap((each) => each.errors().map(textOf))
      errors.push(...shared)
      const seconds = Math.round(module.diagnostic().duration / 100) / 10
      report.files[nameOf(module.moduleId)] = { seconds, tests, errors }
    }
    for (const error of unhandled) {
      const path = error['VITEST_TEST_PATH']
      const file = typeof path === 'string' ? report.files[nameOf(path)] : undefined
      const { errors } = file ?? report
      errors.push(textOf(error))
    }
    writeFileSync(this.#file, JSON.stringify(report))
  }
}

/** The path from the folder of package.json. */
function nameOf(path: string): string {
  return relative(process.cwd(), path)
}

function textOf({ stack, message }: SerializedError): string {
  return stack ?? message
}
