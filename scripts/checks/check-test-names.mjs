// Fails when two tests of a file have one full name: in a report one would hide the other (test/run-report.ts). Fails too when the
// name of a test outside of any `describe` begins with a verb: alone in a report, it would not say its subject.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { commandOf, fail, root, runNode } from '../process.mjs'

const verbs =
  /^(?:accepts|allows|answers|are|asks|can|cannot|checks|counts|creates|deletes|does|ends|finds|follows|gives|goes|has|holds|is|keeps|knows|leads|leaves|lets|lists|loses|makes|may|must|names|needs|never|notices|offers|opens|reads|refuses|removes|restores|returns|says|sends|serves|shows|signs|stays|stops|stores|takes|tells|tries|waits|warns|works|would|writes) (?!> |and )/

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
    if (!verbs.test(name)) continue
    console.error(`this name of a test has no subject: ${whole}`)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true })
}
