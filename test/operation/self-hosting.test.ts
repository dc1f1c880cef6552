/** @module-tag extended */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findProgram } from '../../scripts/debian-programs.mjs'
import { makeUser } from '../factories.ts'
import { startTestServer, type TestServer } from '../server.ts'

const root = realpathSync(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/self-hosting.md'), 'utf8')

/** The code blocks of the page, by their heading, and by their number below it if there is more than one. */
const blocks = new Map(
  page.split(/^## /m).flatMap((section) => {
    const [heading = ''] = section.split('\n')
    const found = [...section.matchAll(/^```(?:sh|yaml)\n(.*?)^```/gms)].map(
      ([, code = '']) => code,
    )
    return found.map((code, i): [string, string] => [
      i === 0 ? heading : `${heading} (${i + 1})`,
      code,
    ])
  }),
)

/** Commands that cannot run in a test, and the reasons. */
const notRun: Record<string, string> = {
  '1. Programs': 'installs packages from the internet',
  '1. Programs (2)': 'installs Node from the internet',
  '2. Hoplet': 'clones from the internet and adds a user',
  Upgrades: 'pulls from the internet',
  'Sign-in for an organization': 'names a provider of the reader',
  Containers: 'needs Docker',
}
const run = ['3. Settings', '4. Start', '5. TLS', '6. Look at it', '7. Backups', '8. Alerts']

let server: TestServer
let machine: string
beforeAll(async () => {
  server = await startTestServer()
  machine = await mkdtemp(join(tmpdir(), 'hoplet-evening-'))
  for (const folder of [
    'bin',
    'etc/systemd/system',
    'etc/caddy',
    'etc/prometheus',
    'usr/local/bin',
    'var/lib',
    'var/backups',
    'opt/hoplet/bin',
  ])
    mkdirSync(join(machine, folder), { recursive: true })
  // There is no systemd to talk to, no editor, and no other user.
  for (const name of ['systemctl', 'journalctl', 'editor', 'apt-get'])
    script(join(machine, 'bin', name), 'exit 0')
  script(join(machine, 'bin/setpriv'), 'shift 3; exec "$@"')
  script(
    join(machine, 'opt/hoplet/bin/hoplet'),
    `NODE_ENV=production exec node --enable-source-maps '${join(root, 'dist/server/command.js')}' "$@"`,
  )
})
afterAll(async () => {
  await server.close()
  await rm(machine, { recursive: true, force: true })
})

function script(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
}

const inMachine = (path: string) => join(machine, path)
/** The folders of the page are in a folder of the test. */
const moved = (text: string) =>
  text
    .replaceAll(/(?<![\w.$/])\/(etc|var|usr\/local|opt)\//g, `${machine}/$1/`)
    .replaceAll(/ -o hoplet\b| -g hoplet\b/g, '')

/** Runs a block of the page, all of its lines, in the folder of the sources. The last one may end with `code`. */
async function runBlock(name: string, code = 0): Promise<string> {
  const shell = spawn('sh', ['-eu'], {
    cwd: root,
    env: { PATH: `${inMachine('bin')}:${inMachine('usr/local/bin')}:${process.env.PATH}` },
  })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  shell.stdin.end(moved(blocks.get(name) ?? 'exit 9'))
  const [status] = await once(shell, 'close')
  if (status !== code) throw new Error(`${name}: exit ${status}\n${output}`)
  return output
}

/** Writes moved copies of files that name folders of the page. */
function moveFile(path: string): void {
  writeFileSync(inMachine(path), moved(readFileSync(inMachine(path), 'utf8')))
}

const program = (name: Parameters<typeof findProgram>[0]) => findProgram(name) ?? ''
const check = (file: string, args: string[], env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync(file, args, {
    env: { PATH: process.env.PATH, HOME: machine, ...env },
    encoding: 'utf8',
  })
  return { ok: status === 0, output: `${stdout}${stderr}` }
}

describe('docs/self-hosting.md', () => {
  it('has no code block that is neither run here nor named as not run', () => {
    expect([...blocks.keys()]).toEqual(
      [...blocks.keys()].filter((name) => name in notRun || run.includes(name)),
    )
    for (const name of [...Object.keys(notRun), ...run]) expect(blocks.has(name), name).toBe(true)
  })

  it('3. Settings: makes a file of settings that the server reads', async () => {
    await runBlock('3. Settings')
    const path = inMachine('etc/hoplet/hoplet.env')
    const settings = readFileSync(path, 'utf8')
      .replace(/^PUBLIC_URL=.*$/m, `PUBLIC_URL=${server.url}`)
      .replace(/^DATA_DIR=.*$/m, `DATA_DIR=${server.context.config.dataDir}`)
      .replace(/^WORKERS=.*$/m, 'WORKERS=1')
    expect(readFileSync(inMachine('var/lib/hoplet/.env'), 'utf8')).toContain(
      'DATA_DIR=/var/lib/hoplet',
    )
    writeFileSync(path, `${settings}\nDATABASE_URL=${server.databaseUrl}\n`)
  })

  it.skipIf(!findProgram('systemd-analyze'))(
    '4. Start: installs a unit that systemd accepts',
    async () => {
      await runBlock('4. Start')
      moveFile('etc/systemd/system/hoplet.service')
      const verify = () =>
        check(program('systemd-analyze'), [
          'verify',
          inMachine('etc/systemd/system/hoplet.service'),
        ])
      expect(verify().output).not.toContain('hoplet.service')
      expect(verify().ok).toBe(true)
    },
  )

  it.skipIf(!findProgram('caddy'))('5. TLS: makes a configuration that Caddy accepts', async () => {
    await runBlock('5. TLS')
    const env = Object.fromEntries(
      readFileSync(inMachine('etc/caddy/hoplet.env'), 'utf8')
        .trim()
        .split('\n')
        .map((line): [string, string] => [line.split('=')[0] ?? '', line.split('=')[1] ?? '']),
    )
    const args = [
      'validate',
      '--adapter',
      'caddyfile',
      '--config',
      inMachine('etc/caddy/Caddyfile'),
    ]
    expect(check(program('caddy'), args, env)).toMatchObject({ ok: true })
    // The control: without the files that the block writes beside it.
    expect(check(program('caddy'), args)).toMatchObject({ ok: false })
  })

  it.skipIf(!findProgram('nginx'))('5. TLS: names an nginx.conf that nginx accepts', () => {
    const certificate = inMachine('fullchain.pem')
    const key = inMachine('privkey.pem')
    const subject = ['-subj', '/CN=hop.example', '-keyout', key, '-out', certificate]
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], {
      stdio: 'ignore',
    })
    const site = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8')
      .replace(/ssl_certificate [^;]*;/, `ssl_certificate ${certificate};`)
      .replace(/ssl_certificate_key [^;]*;/, `ssl_certificate_key ${key};`)
    const test = (text: string) => {
      const path = inMachine('nginx.conf')
      writeFileSync(path, `pid ${inMachine('nginx.pid')};\nevents {}\nhttp {\n${text}\n}\n`)
      return check(program('nginx'), [
        '-t',
        '-q',
        '-c',
        path,
        '-g',
        `error_log ${inMachine('nginx.log')};`,
      ])
    }
    expect(test(site)).toMatchObject({ ok: true })
    expect(test(site.replace('proxy_pass', 'proxy_past'))).toMatchObject({ ok: false })
  })

  it('6. Look at it: installs the command, which makes an admin, mails and examines', async () => {
    await makeUser(server, { email: 'you@example.com' })
    // The doctor ends with 1: the database of the tests runs without fsync.
    const output = await runBlock('6. Look at it', 1)
    expect(output).toContain('you@example.com')
    expect(output).toContain('✓')
    const admins = await server.sql(
      `select from app.user_roles r join auth.users u on u.id = r.user_id where u.email = 'you@example.com' and r.role = 'admin'`,
    )
    expect(admins).toHaveLength(1)
  })

  it('7. Backups: sets up a schedule, and makes a backup that can be verified', async () => {
    await runBlock('7. Backups')
    const settings = readFileSync(inMachine('etc/hoplet/hoplet.env'), 'utf8')
    expect(settings).toMatch(/^BACKUP_PASSPHRASE=[0-9a-f]{32}$/m)
    const [file = ''] = execFileSync('ls', [inMachine('var/backups/hoplet')], {
      encoding: 'utf8',
    }).split('\n')
    expect(file).toMatch(/^hoplet-/)
    if (!findProgram('systemd-analyze')) return
    moveFile('etc/systemd/system/hoplet.service.d/backups.conf')
    const unit = inMachine('etc/systemd/system/hoplet.service')
    const verify = () => check(program('systemd-analyze'), ['verify', unit]).output
    expect(verify()).not.toContain('backups.conf')
    writeFileSync(
      inMachine('etc/systemd/system/hoplet.service.d/backups.conf'),
      '[Service]\nReadWritePath=/x\n',
    )
    expect(verify()).toContain('backups.conf')
  })

  it.skipIf(!findProgram('promtool'))(
    '8. Alerts: makes a configuration that Prometheus accepts',
    async () => {
      await runBlock('8. Alerts')
      const path = inMachine('etc/prometheus/prometheus.yml')
      const { ok, output } = check(program('promtool'), ['check', 'config', path])
      expect(output).toContain('rules found')
      expect(ok).toBe(true)
      // The control: Debian's file with the block appended.
      writeFileSync(path, `${readFileSync(path, 'utf8')}\nscrape_configs: []\n`)
      expect(check(program('promtool'), ['check', 'config', path])).toMatchObject({ ok: false })
    },
  )
})
