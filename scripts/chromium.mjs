import { accessSync, constants } from 'node:fs'
import { run } from './process.mjs'

/** Finds or installs Chromium for the browser tests. Returns false, after printing instructions, when it cannot. */
export async function ensureChromium() {
  if (find()) return true
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0
  const canInstall = isRoot && !process.env.CHROMIUM_PATH
  if (canInstall) {
    console.log('Installing Chromium for the browser tests (once) ...')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const update = await run('apt-get', ['update', '-qq'], { quiet: true, env })
    const install = ['install', '-y', '-qq', '--no-install-recommends', 'chromium']
    const { code, output } = await run('apt-get', install, { quiet: true, env })
    if (code === 0 && find()) return true
    console.error(`${update.output}${output}`.trim())
  }
  console.error(
    'The browser tests need Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM_PATH.',
  )
  return false
}

function find() {
  const path = process.env.CHROMIUM_PATH || '/usr/bin/chromium'
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
