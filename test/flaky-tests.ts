import type { Reporter, TestCase } from 'vitest/node'

/** Says why a test failed that passed at its second try: the default reporter names it only. */
export class FlakyTests implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return
    for (const { stack, message } of test.result().errors ?? [])
      process.stdout.write(`\nPassed at its second try: ${test.fullName}\n${stack ?? message}\n`)
  }
}
