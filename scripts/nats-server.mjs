import { existsSync } from 'node:fs'
import { run } from './process.mjs'

const debian = '/usr/sbin/nats-server'

/** Where the NATS server is: NATS_SERVER_PATH, or Debian's. Undefined when there is none. */
export function findNatsServer() {
  return [
    process.env.NATS_SERVER_PATH,
    debian,
    '/usr/bin/nats-server',
    '/usr/local/bin/nats-server',
  ].find((path) => path && existsSync(path))
}

/** Installs the NATS server for the tests of the click stream if it can. Returns false, after saying why, when there is none. */
export async function ensureNatsServer() {
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0
  if (findNatsServer() === undefined && isRoot && existsSync('/usr/bin/apt-get')) {
    console.log('Installing nats-server for the tests of the click stream (once) ...')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const update = await run('apt-get', ['update', '-qq'], { quiet: true, env })
    const install = ['install', '-y', '-qq', '--no-install-recommends', 'nats-server']
    const { code, output } = await run('apt-get', install, { quiet: true, env })
    if (code !== 0) console.error(`${update.output}${output}`.trim())
  }
  if (findNatsServer() !== undefined) return true
  console.error(
    'The tests of the click stream are skipped: install nats-server (Debian: apt-get install nats-server) or set NATS_SERVER_PATH.',
  )
  return false
}
