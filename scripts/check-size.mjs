import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from './process.mjs'

/** Budget for the JavaScript of the first screen, gzip, in bytes. */
const maxFirstScreenBytes = 180_000

/** Server code and names of secrets that must never reach a browser. */
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

// The test of this check passes another folder.
const web = process.argv[2] ?? join(root, 'dist/web')
const manifest = JSON.parse(readFileSync(join(web, '.vite/manifest.json'), 'utf8'))
const files = readdirSync(web, { recursive: true }).map(String)
const problems = []

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry)
const firstScreen = new Set()
collect(entry)

const scripts = files.filter((file) => file.endsWith('.js'))
const sizes = new Map(scripts.map((file) => [file, gzipSync(read(file)).length]))
// The document loads theme.js by name; it is not in the manifest.
for (const file of scripts) if (!file.startsWith('assets/')) firstScreen.add(file)
let total = 0
for (const file of firstScreen) total += sizes.get(file) ?? 0

console.log(
  `first screen: ${kilobytes(total)} of ${kilobytes(maxFirstScreenBytes)} JavaScript, gzip`,
)
for (const [file, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
  console.log(
    `  ${kilobytes(size).padStart(9)}  ${basename(file)}${firstScreen.has(file) ? '' : '  (later)'}`,
  )
}

if (total > maxFirstScreenBytes)
  problems.push(`The first screen loads ${kilobytes(total)} of JavaScript.`)
for (const file of files) {
  if (file.endsWith('.map')) problems.push(`${file}: source maps must not be published.`)
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
  if (!chunk || firstScreen.has(chunk.file)) return
  firstScreen.add(chunk.file)
  for (const imported of chunk.imports ?? []) collect(imported)
}

function read(file) {
  return readFileSync(join(web, file))
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}
