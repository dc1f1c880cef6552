// `npm test`: the checks and the tests of the gate. `npm run test:all`: every test (`--all`).
// Other arguments go to vitest, for example a file name.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureChdb, hasChdb } from './chdb.mjs'
import { check } from './check.mjs'
import { ensureChromium } from './chromium.mjs'
import { ensurePrograms } from './debian-programs.mjs'
import { commandOf, runNode } from './process.mjs'
import { setUp } from './setup.mjs'
import { merge, summarize } from './tests/test-results.mjs'

/** A run that hangs is killed and fails. */
const timeoutMs = 80 * 60_000
/** More files than this do not fail by chance. */
const maxRetriedFiles = 25

const flags = new Set(process.argv.slice(2).filter((each) => each.startsWith('--')))
const filters = process.argv.slice(2).filter((each) => !flags.has(each))
const isAll = flags.has('--all')

let summarized = false
process.on('exit', () => {
  if (!summarized) console.log('\n0 passed, 1 failed')
})

await setUp()
const failures = []
if (!(await ensureChromium())) failures.push('Chromium is missing')
const notRun = await ensurePrograms()
if (isAll) {
  await ensureChdb()
  if (!hasChdb()) notRun.push('The tests of ClickHouse are skipped: chdb could not be installed.')
}

console.log('\nChecks')
const checks = await check()

console.log('\nTests')
const { results, retried } = await runTests()
const tests = summarize(results)
if (tests.passed === 0) failures.push('no test passed')

if (retried.length > 0) console.log('\nFailed once and passed at the second run:')
for (const name of retried) console.log(`  ${name}`)
if (tests.failures.length > 0) console.log('\nFailed:')
for (const name of tests.failures) console.log(`  ${name}`)
for (const sentence of [...notRun, ...failures]) console.log(`\n${sentence}`)

const failed = checks.failed + tests.failures.length + failures.length
summarized = true
console.log(`\n${checks.passed + tests.passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

/** Runs the tests, then the files with a failure once more in a new process. */
async function runTests() {
  const first = await runVitest(filters)
  const broken = Object.keys(first.files).filter((file) => isBroken(first.files[file]))
  if (broken.length === 0 || broken.length > maxRetriedFiles) return { results: first, retried: [] }
  console.log(`\nOnce more: ${broken.join(', ')}`)
  return merge(first, await runVitest(broken))
}

function isBroken({ tests, errors }) {
  return errors.length > 0 || Object.values(tests).some(({ state }) => state === 'failed')
}

async function runVitest(files) {
  // With every temporary file of the run, so that nothing of it stays.
  const folder = mkdtempSync(join(tmpdir(), 'hoplet-test-'))
  const report = join(folder, 'report.json')
  const tags = isAll ? [] : ['--tags-filter=!extended or gate']
  try {
    const { code } = await runNode([commandOf('vitest'), 'run', ...tags, ...files], {
      timeout: timeoutMs,
      env: { ...process.env, TEST_REPORT: report, TMPDIR: folder },
    })
    const results = JSON.parse(readFileSync(report, 'utf8'))
    const isExplained = results.errors.length > 0 || Object.values(results.files).some(isBroken)
    if (code !== 0 && !isExplained) results.errors.push(`vitest exited with code ${code}`)
    return results
  } catch (error) {
    return { files: {}, errors: [`The test runner ended without a report: ${String(error)}`] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
