import { existsSync } from 'node:fs'
import { run } from './process.mjs'

/** Programs that tests run for real, by their names. `package`: the Debian package, where its name differs. */
const programs = {
  'nats-server': { variable: 'NATS_SERVER_PATH', tests: 'the click stream' },
  pgbouncer: { variable: 'PGBOUNCER_PATH', tests: 'poolers' },
  promtool: { package: 'prometheus', variable: 'PROMTOOL_PATH', tests: 'the alerts' },
  caddy: { variable: 'CADDY_PATH', tests: 'the configuration of Caddy' },
  nginx: { package: 'nginx-light', variable: 'NGINX_PATH', tests: 'the configuration of nginx' },
  'systemd-analyze': {
    package: 'systemd',
    variable: 'SYSTEMD_ANALYZE_PATH',
    tests: 'the systemd unit',
  },
  age: { variable: 'AGE_PATH', tests: 'encrypted backups' },
  pdftoppm: { package: 'poppler-utils', variable: 'PDFTOPPM_PATH', tests: 'sheets of labels' },
  curl: { variable: 'CURL_PATH', tests: 'the examples of docs/api.md' },
  'firefox-esr': { variable: 'FIREFOX_PATH', tests: 'Firefox' },
  WebKitWebDriver: {
    package: 'webkit2gtk-driver',
    variable: 'WEBKIT_DRIVER_PATH',
    tests: 'WebKit',
  },
  Xvfb: { package: 'xvfb', variable: 'XVFB_PATH', tests: 'WebKit' },
}

/** Where the program is: its variable, or where packages put it. Undefined when there is none. */
export function findProgram(name) {
  return [
    process.env[programs[name].variable],
    ...['/usr/sbin', '/usr/bin', '/usr/local/bin'].map((folder) => `${folder}/${name}`),
  ].find((path) => path && existsSync(path))
}

const packageOf = (name) => programs[name].package ?? name

/** Installs the missing programs if it can. @returns {Promise<string[]>} sentences on the tests that are skipped */
export async function ensurePrograms() {
  const missing = () => Object.keys(programs).filter((name) => findProgram(name) === undefined)
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0
  if (missing().length > 0 && isRoot && existsSync('/usr/bin/apt-get')) {
    console.log(`Installing ${missing().join(' and ')} for the tests (once) ...`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const update = await run('apt-get', ['update', '-qq'], { quiet: true, env })
    const install = ['install', '-y', '-qq', '--no-install-recommends', ...missing().map(packageOf)]
    const { code, output } = await run('apt-get', install, { quiet: true, env })
    if (code !== 0) console.error(`${update.output}${output}`.trim())
  }
  return missing().map((name) => {
    const { variable, tests } = programs[name]
    return `The tests of ${tests} are skipped: install ${name} (Debian: apt-get install ${packageOf(name)}) or set ${variable}.`
  })
}
