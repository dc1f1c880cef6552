import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../process.mjs'

// Every package comes from the configured registry, is fixed by a hash, and is listed for every platform.
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
const problems = []
for (const [path, entry] of Object.entries(packages)) {
  const { integrity, inBundle, resolved, link, optionalDependencies = {} } = entry
  for (const name of Object.keys(optionalDependencies)) {
    if (!isListed(path, name))
      problems.push(
        `${path}: lacks ${name}, so npm ci refuses it; run npm install --package-lock-only without node_modules`,
      )
  }
  if (path === '') continue
  if (resolved !== undefined)
    problems.push(`${path}: "resolved" names a host; run npm install again (see .npmrc)`)
  if (link) problems.push(`${path}: links to a local folder`)
  // A bundled package comes inside its parent; the parent's hash covers it.
  if (!inBundle && !integrity?.startsWith('sha512-'))
    problems.push(`${path}: has no sha512 integrity hash`)
}

/** True if the lock file has the package where Node looks for it from `path`. */
function isListed(path, name) {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')))
  return `${path}/node_modules/${name}` in packages || `node_modules/${name}` in packages
    ? true
    : parent !== '' && isListed(parent, name)
}

for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
