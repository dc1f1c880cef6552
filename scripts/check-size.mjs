import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './process.mjs'

/** JavaScript that the first screen loads, gzip, in bytes (1 kB = 1,000 bytes). */
const limit = 180_000

/** Words of the server, and names of its secrets, that no browser may get. */
const forbidden = [
  'service_role',
  'serviceRoleKey',
  'pg_advisory',
  'pg_catalog',
  'security definer',
  'hoplet_login',
  'JWT_SIGNING_KEY',
  'DATABASE_URL',
  'node:fs',
  'node:crypto',
]

// Another folder may be given, for the test of this check.
const web = process.argv[2] ?? join(root, 'dist/web')
const manifest = JSON.parse(readFileSync(join(web, '.vite/manifest.json'), 'utf8'))
const files = readdirSync(web, { recursive: true }).map(String)
const problems = []

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)
const first = new Set()
collect(entry)

const scripts = files.filter((file) => file.endsWith('.js'))
const sizes = new Map(scripts.map((file) => [file, gzipSync(read(file)).length]))
// theme.js is no module: the document asks for it by name.
for (const file of scripts) if (!file.startsWith('assets/')) first.add(file)
let total = 0
for (const file of first) total += sizes.get(file) ?? 0

console.log(`first screen: ${kilobytes(total)} of ${kilobytes(limit)} JavaScript, gzip`)
for (const [file, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
  console.log(
    `  ${kilobytes(size).padStart(9)}  ${basename(file)}${first.has(file) ? '' : '  (later)'}`,
  )
}

if (total > limit) problems.push(`The first screen loads ${kilobytes(total)} of JavaScript.`)
for (const file of files) {
  if (file.endsWith('.map')) problems.push(`${file}: source maps are not for visitors.`)
  if (!/\.(js|css|html)$/.test(file)) continue
  const text = read(file).toString('utf8')
  for (const word of forbidden)
    if (text.includes(word)) problems.push(`${file}: contains "${word}".`)
}
if (!Object.values(manifest).some((chunk) => chunk.isDynamicEntry)) {
  problems.push('No screen is loaded lazily.')
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

function collect(key) {
  const chunk = manifest[key]
  if (!chunk || first.has(chunk.file)) return
  first.add(chunk.file)
  for (const imported of chunk.imports ?? []) collect(imported)
}

function read(file) {
  return readFileSync(join(web, file))
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}
