import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { commandOf, root, runNode } from './process.mjs'
import { setUp } from './setup.mjs'

const scriptPath = (name) => join(root, 'scripts', name)

/** `lines`: so many of the output are shown when it passes. */
function steps() {
  return [
    { name: 'types', args: [commandOf('typescript', 'tsc'), '--noEmit'] },
    { name: 'lint', args: [commandOf('oxlint'), '--deny-warnings'] },
    { name: 'format', args: [commandOf('oxfmt'), '--check'] },
    { name: 'unused code', args: [commandOf('knip'), '--no-progress'] },
    { name: 'database types', args: [scriptPath('database-types.mjs'), '--check'] },
    { name: 'text types', args: [scriptPath('text-types.mjs'), '--check'] },
    { name: 'structure', args: [scriptPath('checks/check-structure.mjs')] },
    { name: 'wording', args: [scriptPath('checks/check-wording.mjs')] },
    { name: 'pictures', args: [scriptPath('checks/check-pictures.mjs')] },
    { name: 'size', args: [scriptPath('checks/check-size.mjs')], lines: 1 },
    { name: 'commit subjects', args: [scriptPath('checks/check-subjects.mjs')] },
    { name: 'lock file', args: [scriptPath('checks/check-lockfile.mjs')] },
  ]
}

const testNames = { name: 'names of tests', args: [scriptPath('checks/check-test-names.mjs')] }

/** Runs every check, even after a failure. @returns {Promise<{ passed: number, failed: number }>} */
export async function check(all = steps()) {
  const count = { passed: 0, failed: 0 }
  for (const { name, args, lines = 0 } of all) {
    const started = Date.now()
    const { code, output } = await runNode(args, { quiet: true })
    count[code === 0 ? 'passed' : 'failed']++
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
    const shown = code === 0 ? output.split('\n', lines) : output.trimEnd().split('\n')
    for (const line of shown) console.log(`    ${line}`)
  }
  return count
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setUp()
  // In `npm test` the run itself knows the names.
  const { passed, failed } = await check([...steps(), testNames])
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}
