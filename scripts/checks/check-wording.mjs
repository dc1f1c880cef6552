// Counts phrases that a reader has to read twice, in comments, documentation and names of tests, and texts of the screens that are
// longer than the rule allows, and fails when there are more than scripts/checks/wording.json allows. The counts may only fall: `npm run fix` lowers them. CONTRIBUTING.md, "Wording".
// Usage: node scripts/checks/check-wording.mjs [--lower] [--list=NAME]
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../process.mjs'
import { brokenTexts, countPhrases, phrases, textsOf } from './wording.mjs'

const recordPath = join(root, 'scripts/checks/wording.json')
const allowed = JSON.parse(readFileSync(recordPath, 'utf8'))
const listed = process.argv.find((argument) => argument.startsWith('--list='))?.slice(7)

const names = [...Object.keys(phrases), 'longLabel', 'longHint', 'itFirst']
const counts = Object.fromEntries(names.map((name) => [name, 0]))
for (const path of readPaths()) {
  const content = readFileSync(join(root, path), 'utf8')
  for (const [name, texts] of Object.entries(brokenTexts(path, content))) {
    counts[name] += texts.length
    if (name === listed) for (const text of texts) console.log(`${path}: ${text}`)
  }
  for (const text of textsOf(path, content)) {
    for (const [name, found] of Object.entries(countPhrases(text))) {
      counts[name] += found
      if (found > 0 && name === listed) console.log(`${path}: ${text.trim()}`)
    }
  }
}
for (const [name, count] of Object.entries(counts)) {
  const limit = allowed[name] ?? 0
  console.log(`${name}: ${count} of ${limit}`)
  if (count <= limit) continue
  console.error(
    `${name}: ${count - limit} more than before. See them: node scripts/checks/check-wording.mjs --list=${name}`,
  )
  process.exitCode = 1
}
if (process.argv.includes('--lower')) {
  const lowered = Object.entries(counts).map(([name, n]) => [name, Math.min(n, allowed[name] ?? n)])
  writeFileSync(recordPath, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`)
}

/** Migrations are immutable; the changelog quotes settings and screens. */
function readPaths() {
  return execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => /\.(ts|tsx|mjs|sql|md|css)$/.test(path))
    .filter((path) => !path.startsWith('database/migrations/'))
}
