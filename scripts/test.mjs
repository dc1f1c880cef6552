import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './check.mjs'
import { ensureChromium } from './chromium.mjs'
import { ensurePrograms } from './debian-programs.mjs'
import { commandOf, runNode } from './process.mjs'
import { setUp } from './setup.mjs'

/** A full run takes ten minutes on two idle cores; a run that hangs is killed and fails. */
const timeoutMs = 80 * 60_000

let summarized = false
process.on('exit', () => {
  if (!summarized) console.log('\n0 passed, 1 failed')
})

await setUp()
const total = { passed: 0, failed: 0, skipped: 0 }
if (!(await ensureChromium())) total.failed++
await ensurePrograms()

console.log('\nChecks')
const checks = await check()
total.passed += checks.passed
total.failed += checks.failed

console.log('\nTests')
const tests = await runTests()
total.passed += tests.passed
total.failed += tests.failed
total.skipped += tests.skipped

summarized = true
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : ''
console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`)
process.exitCode = total.failed === 0 && tests.passed > 0 ? 0 : 1

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'hoplet-report-'))
  const report = join(folder, 'report.json')
  // Arguments go to vitest, for example a file name: npm test -- links
  const filters = process.argv.slice(2)
  try {
    const args = [commandOf('vitest'), 'run', ...filters]
    const { code } = await runNode(args, {
      timeout: timeoutMs,
      env: { ...process.env, TEST_REPORT: report },
    })
    return count(report, code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function count(report, code) {
  let result
  try {
    result = JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    console.error('The test runner ended without a report.')
    return { passed: 0, failed: 1, skipped: 0 }
  }
  // A file that cannot be loaded has no tests to count; an error outside any test shows only in the exit code.
  const brokenFiles = result.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  const failed = result.numFailedTests + brokenFiles
  return {
    passed: result.numPassedTests,
    failed: code !== 0 && failed === 0 ? 1 : failed,
    skipped: result.numPendingTests + result.numTodoTests,
  }
}
