import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf, fail, root, runNode } from './process.mjs'

const sources = [
  'database',
  'domain',
  'public-pages',
  'scripts/pictures/drawings.mjs',
  'server',
  'web',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
]
const stamp = join(root, 'dist/.built-from')

/** Builds the web app and the server into dist/, unless dist/ was built from the current sources. */
export async function build({ force = false } = {}) {
  const current = fingerprint()
  if (!force && builtFrom() === current) return
  console.log('Building ...')
  rmSync(stamp, { force: true })
  const started = Date.now()
  const env = { ...process.env, NODE_ENV: 'production' }
  const vite = commandOf('vite')
  for (const flags of [[], ['--ssr']]) {
    const { code, output } = await runNode([vite, 'build', '--logLevel', 'warn', ...flags], {
      quiet: true,
      env,
    })
    if (code !== 0) fail(`${output}\nThe build failed; see the output above.`)
    if (output.trim()) console.log(output.trim())
  }
  const prerendered = await runNode([join(root, 'scripts/prerender.mjs')], { quiet: true, env })
  if (prerendered.code !== 0)
    fail(`${prerendered.output}\nThe screens could not be prerendered; see above.`)
  writeFileSync(stamp, current)
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`)
}

function builtFrom() {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return undefined
  }
}

function fingerprint() {
  const hash = createHash('sha256').update(process.versions.node)
  for (const source of sources) addTo(hash, source)
  return hash.digest('hex')
}

function addTo(hash, path) {
  const full = join(root, path)
  if (!existsSync(full)) return
  if (statSync(full).isDirectory()) {
    for (const name of readdirSync(full).sort()) addTo(hash, `${path}/${name}`)
  } else if (!/\.test\.tsx?$/.test(path)) {
    hash.update(`\0${path}\0`).update(readFileSync(full))
  }
}
