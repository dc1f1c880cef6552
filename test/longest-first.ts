import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest, with those that mostly wait beside those that keep a core busy. Started last, one of
 * them alone would keep the run waiting while a core is idle.
 */
const longest = [
  'test/workers/workers.test.ts',
  'e2e/account/auth-flows.test.ts',
  'e2e/bio-editor.test.ts',
  'e2e/account/settings.test.ts',
  'e2e/visitors/visitor-pages.test.ts',
  'e2e/links/main-job.test.ts',
  'e2e/links/link-pages.test.ts',
  'test/visits/journal/crash.test.ts',
  'e2e/shell/layout-shifts.test.ts',
  'test/click-log/kills.test.ts',
  'e2e/start-and-stop.test.ts',
  'test/toolchain/embedded-postgres.test.ts',
  'test/tables/rights/authorization.test.ts',
  'test/toolchain/data-dir.test.ts',
]

/**
 * Runs the longest files first, then those with a browser, then the others, larger files first. Vitest alone would know
 * the times of an earlier run only, and a fresh checkout has none.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ordered = await super.sort(files)
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.indexOf(relative(this.ctx.config.root, moduleId))
      return index === -1 ? longest.length : index
    }
    return ordered.toSorted((a, b) => place(a) - place(b))
  }
}
