import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './process.mjs'

const version = '3.4.0'
const folder = join(root, '.cache/chdb')

/** True if chdb, the engine of ClickHouse as a library, is installed for the tests. */
export function hasChdb() {
  return existsSync(join(folder, 'node_modules/chdb'))
}

/** Installs chdb (546 MB, once) beside the product's packages, which do not need it. */
export async function ensureChdb() {
  if (hasChdb()) return
  console.log('Installing chdb for the tests of ClickHouse (546 MB, once) ...')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const flags = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  const { code, output } = await run('npm', ['install', ...flags, `chdb@${version}`], {
    quiet: true,
    shell: process.platform === 'win32',
  })
  console.log(code === 0 ? 'Installed.' : `Failed: ${output.trim()}`)
}
