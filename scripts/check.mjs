import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { commandOf, root, runNode } from './process.mjs'
import { setUp } from './setup.mjs'

const scriptPath = (name) => join(root, 'scripts', name)

function steps() {
  return [
    { name: 'types', args: [commandOf('typescript', 'tsc'), '--noEmit'] },
    { name: 'lint', args: [commandOf('oxlint'), '--deny-warnings'] },
    { name: 'format', args: [commandOf('oxfmt'), '--check'] },
    { name: 'unused code', args: [commandOf('knip'), '--no-progress'] },
    { name: 'database types', args: [scriptPath('database-types.mjs'), '--check'] },
    { name: 'structure', args: [scriptPath('check-structure.mjs')] },
    { name: 'wording', args: [scriptPath('check-wording.mjs')] },
    { name: 'pictures', args: [scriptPath('check-pictures.mjs')] },
    { name: 'size', args: [scriptPath('check-size.mjs')], show: true },
    { name: 'lock file', args: [scriptPath('check-lockfile.mjs')] },
  ]
}

/** Runs every check, even after a failure. @returns {Promise<{ passed: number, failed: number }>} */
export async function check() {
  const count = { passed: 0, failed: 0 }
  for (const { name, args, show } of steps()) {
    const started = Date.now()
    const { code, output } = await runNode(args, { quiet: true })
    count[code === 0 ? 'passed' : 'failed']++
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
    if (code !== 0 || show) console.log(output.trimEnd().replace(/^/gm, '    '))
  }
  return count
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await setUp()
  const { failed } = await check()
  process.exitCode = failed === 0 ? 0 : 1
}
