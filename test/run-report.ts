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
  /** By full name. */
  tests: Record<string, 'passed' | 'failed' | 'skipped'>
  /** Errors outside the tests: an import, a hook, a promise that nothing awaited. */
  errors: string[]
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
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        tests[test.fullName] = state === 'pending' ? 'skipped' : state
      }
      const suites = [...module.children.allSuites()]
      const errors = [module, ...suites].flatMap((each) => each.errors().map(textOf))
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
