import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.mjs'

// Every package must come from the configured registry, and its contents must be fixed by a hash.
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const problems = []
for (const [path, { integrity, resolved, link }] of Object.entries(packages)) {
  if (path === '') continue
  if (resolved !== undefined)
    problems.push(`${path}: "resolved" names a host; run npm install again (see .npmrc)`)
  if (link) problems.push(`${path}: links to a local folder`)
  if (!integrity?.startsWith('sha512-')) problems.push(`${path}: has no sha512 integrity hash`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
