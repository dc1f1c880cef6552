import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from '../process.mjs'

/** Budgets for JavaScript, gzip, in bytes: the first screen of a visitor, and the shell of a person who is signed in. */
const maxFirstScreenBytes = 151_000
const maxShellBytes = 190_000

/** Modules of the shell besides the first screen (web/shell/app-shell.tsx, web/session/session.ts). */
const shellModules = ['shell/member-navigation.tsx']

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
const firstScreen = collect(entry)
const shell = new Set(firstScreen)
for (const module of shellModules) collect(module, shell)

const scripts = files.filter((file) => file.endsWith('.js'))
const sizes = new Map(scripts.map((file) => [file, gzipSync(read(file)).length]))
// The document loads theme.js by name; it is not in the manifest.
for (const file of scripts) if (!file.startsWith('assets/')) firstScreen.add(file)
const total = sizeOf(firstScreen)
const shellTotal = sizeOf(shell)

console.log(
  `first screen: ${kilobytes(total)} of ${kilobytes(maxFirstScreenBytes)} JavaScript, gzip; shell: ${kilobytes(shellTotal)} of ${kilobytes(maxShellBytes)}`,
)
for (const [file, size] of [...sizes].sort((a, b) => b[1] - a[1])) {
  console.log(
    `  ${kilobytes(size).padStart(9)}  ${basename(file)}${firstScreen.has(file) ? '' : '  (later)'}`,
  )
}

if (total > maxFirstScreenBytes)
  problems.push(`The first screen loads ${kilobytes(total)} of JavaScript.`)
if (shellTotal > maxShellBytes)
  problems.push(`The shell of a person who is signed in loads ${kilobytes(shellTotal)}.`)
for (const file of files) {
  if (file.endsWith('.map')) problems.push(`${file}: source maps must not be published.`)
  if (!/\.(js|css|html)$/.test(file)) continue
  const text = read(file).toString('utf8')
  if (/font-display:\s*swap/.test(text))
    problems.push(`${file}: letters that come late would move texts (vite.config.ts).`)
  for (const word of forbidden)
    if (text.includes(word)) problems.push(`${file}: contains "${word}".`)
}
if (!Object.values(manifest).some((chunk) => chunk.isDynamicEntry)) {
  problems.push('No screen is loaded lazily.')
}
for (const { file, imports = [] } of Object.values(manifest)) {
  const needed = imports.reduce((found, imported) => collect(imported, found), new Set())
  // Which of them runs first depends on the screen that a person opens first: parts may not be there yet.
  if (needed.has(file))
    problems.push(
      `${file} needs a file that needs it. Group the modules of vite.config.ts otherwise.`,
    )
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

/** The files that a module needs before it runs. */
function collect(key, found = new Set()) {
  const chunk = manifest[key]
  if (!chunk || found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const imported of chunk.imports ?? []) collect(imported, found)
  return found
}

function sizeOf(loaded) {
  let bytes = 0
  for (const file of loaded) bytes += sizes.get(file) ?? 0
  return bytes
}

function read(file) {
  return readFileSync(join(web, file))
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}
