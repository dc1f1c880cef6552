// Fails when two tests of a file have one full name: in a report one would hide the other (test/run-report.ts).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { commandOf, fail, root, runNode } from '../process.mjs'

const folder = mkdtempSync(join(tmpdir(), 'hoplet-names-'))
const list = join(folder, 'tests.json')
try {
  const { code, output } = await runNode([commandOf('vitest'), 'list', `--json=${list}`], {
    quiet: true,
  })
  if (code !== 0) fail(output)
  const seen = new Set()
  for (const { file, name } of JSON.parse(readFileSync(list, 'utf8'))) {
    const whole = `${relative(root, file)}: ${name}`
    if (seen.has(whole)) {
      console.error(`two tests have this name: ${whole}`)
      process.exitCode = 1
    }
    seen.add(whole)
  }
} finally {
  rmSync(folder, { recursive: true })
}
