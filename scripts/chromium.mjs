import { existsSync } from 'node:fs'
import { run } from './process.mjs'

const headlessShell = '/usr/bin/chromium-headless-shell'

/**
 * Where Chromium is: CHROMIUM_PATH, or the headless shell, which opens a page with half the work of the whole browser, or
 * the whole browser. Undefined when there is none.
 */
export function findChromium() {
  const paths = [process.env.CHROMIUM_PATH || headlessShell, '/usr/bin/chromium']
  return paths.find((path) => existsSync(path))
}

/** Installs Chromium for the browser tests if it can. Returns false, after printing instructions, when there is none. */
export async function ensureChromium() {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0
  if (isRoot && !process.env.CHROMIUM_PATH && !existsSync(headlessShell)) {
    console.log('Installing Chromium for the browser tests (once) ...')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const update = await run('apt-get', ['update', '-qq'], { quiet: true, env })
    const install = ['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell']
    const { code, output } = await run('apt-get', install, { quiet: true, env })
    if (code !== 0) console.error(`${update.output}${output}`.trim())
  }
  if (findChromium() !== undefined) return true
  console.error(
    'The browser tests need Chromium. Install it (Debian: apt-get install chromium-headless-shell) or set CHROMIUM_PATH.',
  )
  return false
}
