import { existsSync } from 'node:fs'
import { run } from './process.mjs'

/** Servers that tests run for real, by the name of their Debian package. */
const programs = {
  'nats-server': { variable: 'NATS_SERVER_PATH', tests: 'the click stream' },
  pgbouncer: { variable: 'PGBOUNCER_PATH', tests: 'poolers' },
  curl: { variable: 'CURL_PATH', tests: 'the examples of docs/api.md' },
}

/** Where the program is: its variable, or where packages put it. Undefined when there is none. */
export function findProgram(name) {
  return [
    process.env[programs[name].variable],
    ...['/usr/sbin', '/usr/bin', '/usr/local/bin'].map((folder) => `${folder}/${name}`),
  ].find((path) => path && existsSync(path))
}

/** Installs the missing programs if it can. @returns {Promise<string[]>} sentences on the tests that are skipped */
export async function ensurePrograms() {
  const missing = () => Object.keys(programs).filter((name) => findProgram(name) === undefined)
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0
  if (missing().length > 0 && isRoot && existsSync('/usr/bin/apt-get')) {
    console.log(`Installing ${missing().join(' and ')} for the tests (once) ...`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const update = await run('apt-get', ['update', '-qq'], { quiet: true, env })
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...missing()]
    const { code, output } = await run('apt-get', install, { quiet: true, env })
    if (code !== 0) console.error(`${update.output}${output}`.trim())
  }
  return missing().map((name) => {
    const { variable, tests } = programs[name]
    return `The tests of ${tests} are skipped: install ${name} (Debian: apt-get install ${name}) or set ${variable}.`
  })
}
