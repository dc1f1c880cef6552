import { readdir } from 'node:fs/promises'
import { createServer, request, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Config, createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { warnOfCollations } from '#server/postgres/collations.ts'
import { recordLog } from '#test/record-log.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { examine } from '#server/doctor/doctor.ts'
import { migrate } from '#server/postgres/migrate.ts'
import { loadKeys } from '#server/tokens/keys.ts'
import { startSmtp } from '#test/mail/smtp.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantDomain } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.context.peers.run()
})
afterAll(() => server.close())

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  server.context.config.trustedProxies = 0
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** The doctor's lines about `part`, each with its level. */
async function findingsOf(part: string, changes: Partial<Config> = {}): Promise<string[]> {
  const { context } = server
  const config = { ...context.config, ...changes }
  const keys = await loadKeys(config.dataDir, config.signingKey)
  const found = await examine({ config, log: context.log, database: context.database, keys })
  return (found.get(part) ?? []).map(({ level, text }) => `${level}: ${text}`)
}

/** The test's cluster runs without fsync, which is a finding too. */
const problemsIn = (findings: string[]) =>
  findings.filter((each) => !each.startsWith('ok: ') && !each.includes('fsync'))

async function listening(listener: Server): Promise<string> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  cleanups.push(
    () =>
      new Promise((resolve) => {
        listener.close(resolve)
        listener.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
}

/** A proxy that appends the address of its client, as all do. */
function proxyTo(target: string, options: ServerOptions = {}): Promise<string> {
  return listening(
    createServer(options, (incoming, outgoing) => {
      const forwarded = [incoming.headers['x-forwarded-for'], incoming.socket.remoteAddress]
      const headers = {
        ...incoming.headers,
        'x-forwarded-for': forwarded.filter(Boolean).join(', '),
      }
      const onward = request(new URL(incoming.url ?? '', target), { headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      incoming.pipe(onward)
    }),
  )
}

it('doctor finds nothing wrong with a server that is well', async () => {
  const { context } = server
  for (const part of [
    'Settings',
    'Database',
    'Clicks',
    'Servers',
    'Address',
    'Domains',
    'Payments',
    'Storage',
    'AI',
  ])
    expect(problemsIn(await findingsOf(part)), part).toEqual([])
  expect(await findingsOf('Address')).toContain(
    `ok: ${context.config.publicUrl} leads to this Hoplet.`,
  )
})

describe('domains', () => {
  it('need an admin port, and unknown hosts refused', async () => {
    expect(problemsIn(await findingsOf('Domains', { unknownHosts: 'serve' }))).toEqual([])
    const { id } = await plantDomain(server.sql, 'doctor.example')
    cleanups.push(() => server.sql('delete from app.domains where id = $1', [id]))
    expect(await findingsOf('Domains', { unknownHosts: 'serve' })).toEqual([
      'ok: Verified domains: 1.',
      expect.stringMatching(/^warning: ADMIN_PORT is not set/),
      expect.stringMatching(/^warning: UNKNOWN_HOSTS=serve: .* Set UNKNOWN_HOSTS=refuse\.$/),
    ])
    const admin = { host: '127.0.0.1', port: 9464 }
    expect(problemsIn(await findingsOf('Domains', { admin, unknownHosts: 'refuse' }))).toEqual([])
  })

  it('are missing where requests are for unknown hosts, which the servers name', async () => {
    await visit(server.url, '/', { headers: { host: 'stranger.example' } })
    await server.context.peers.run()
    expect(await findingsOf('Domains')).toContainEqual(
      expect.stringMatching(
        /^warning: Requests for unknown hosts got the links .*: stranger\.example\. /,
      ),
    )
  })

  it('have a LINKS_URL that leads here', async () => {
    const here = await proxyTo(server.url)
    expect(await findingsOf('Domains', { linksUrl: here })).toContain(
      `ok: ${here} (LINKS_URL) leads to this Hoplet.`,
    )
    const other = await listening(
      createServer((_, response) => response.end(JSON.stringify({ hoplet: 'x' }))),
    )
    for (const [linksUrl, says] of [
      [other, 'leads to a Hoplet with another database'],
      [
        await listening(createServer((_, response) => response.end('hello'))),
        'does not lead to Hoplet',
      ],
      ['http://127.0.0.1:1', 'does not lead to Hoplet'],
    ] as const)
      expect(await findingsOf('Domains', { linksUrl })).toContainEqual(
        expect.stringContaining(`problem: ${linksUrl} (LINKS_URL) ${says}`),
      )
  })
})

describe('proxies', () => {
  const direct = () => server.url
  const one = () => proxyTo(server.url)
  const two = async () => proxyTo(await proxyTo(server.url))
  it.each([
    { proxies: 0, trusted: 0, front: direct, says: undefined },
    { proxies: 1, trusted: 1, front: one, says: undefined },
    { proxies: 2, trusted: 2, front: two, says: undefined },
    {
      proxies: 0,
      trusted: 1,
      front: direct,
      says: /Clients can pretend .* Set TRUSTED_PROXIES=0\.$/,
    },
    { proxies: 1, trusted: 2, front: one, says: /Clients can pretend .* Set TRUSTED_PROXIES=1\.$/ },
    { proxies: 1, trusted: 0, front: one, says: /^problem: 1 proxies .* Set TRUSTED_PROXIES=1\.$/ },
    { proxies: 2, trusted: 1, front: two, says: /^problem: 2 proxies .* Set TRUSTED_PROXIES=2\.$/ },
  ])('$proxies in front, $trusted trusted', async ({ trusted, front, says }) => {
    server.context.config.trustedProxies = trusted
    const problems = problemsIn(await findingsOf('Address', { publicUrl: await front() }))
    expect(problems).toEqual(says ? [expect.stringMatching(says)] : [])
  })
})

it('doctor says when a proxy refuses long header lines', async () => {
  server.context.config.trustedProxies = 1
  const publicUrl = await proxyTo(server.url, { maxHeaderSize: 8 * 1024 })
  expect(problemsIn(await findingsOf('Address', { publicUrl }))).toEqual([
    expect.stringMatching(/^problem: A header line of 12 kB is answered with 431/),
  ])
})

it('doctor says when the address leads nowhere, elsewhere, or is not safe', async () => {
  const other = await listening(createServer((_, response) => response.end('<h1>Parked</h1>')))
  expect(await findingsOf('Address', { publicUrl: other })).toEqual([
    expect.stringMatching(/^problem: .* does not lead to Hoplet/),
  ])
  const stranger = await startTestServer()
  cleanups.push(() => stranger.close())
  expect(await findingsOf('Address', { publicUrl: stranger.url })).toEqual([
    `problem: ${stranger.url} leads to a Hoplet with another signing key.`,
  ])
  const isPlain = await listening(createServer((_, response) => response.end()))
  expect(await findingsOf('Address', { publicUrl: isPlain.replace('http:', 'https:') })).toEqual([
    expect.stringMatching(/^problem: .* does not lead to Hoplet \(.*SSL|wrong version/),
  ])
})

it('doctor tries where backups go', async () => {
  const { config } = server.context
  const to = (place: string) => ({
    backup: { ...config.backup, schedule: { cron: '15 3 * * *', to: place, keep: { count: 3 } } },
  })
  const folder = `${config.dataDir}/backups`
  expect(await findingsOf('Backups')).toEqual([expect.stringMatching(/^warning: BACKUP_SCHEDULE/)])
  expect(await findingsOf('Backups', to(folder))).toEqual([
    `ok: Backups can be written to ${folder}.`,
  ])
  expect(await readdir(folder)).toEqual([])
  expect(await findingsOf('Backups', to('/proc/backups'))).toEqual([
    expect.stringMatching(/^problem: Backups cannot be written to \/proc\/backups: /),
  ])
})

it('doctor says when the servers follow another choice of PLANS', async () => {
  const withPlans = server.context.config.installation
  const without = { ...withPlans, hasPlans: false }
  expect(await findingsOf('Servers')).toContain('ok: PLANS=on, as here.')
  expect(problemsIn(await findingsOf('Servers', { installation: without }))).toEqual([
    'problem: The servers follow PLANS=on, and here is PLANS=off. Set the same for all servers.',
  ])
  // The row decides, and not the settings of this machine.
  cleanups.push(() => server.sql('select app.settle_installation(true, $1)', [links]))
  const links = withPlans.linksPerAccount
  await server.sql('select app.settle_installation(false, $1)', [links])
  expect(problemsIn(await findingsOf('Servers'))).toEqual([
    'problem: The servers follow PLANS=off, and here is PLANS=on. Set the same for all servers.',
  ])
  expect(await findingsOf('Servers', { installation: without })).toContain(
    'ok: PLANS=off, as here.',
  )
})

it('doctor repeats the warnings about settings', async () => {
  const { warnings } = parseVariables({ BACKUP_DIR: '/backups', TRUST_PROXY: '1' })
  expect(await findingsOf('Settings', { warnings })).toEqual([
    expect.stringMatching(/^warning: BACKUP_DIR is not a setting of Hoplet/),
    expect.stringMatching(/^warning: TRUST_PROXY is not a setting of Hoplet/),
  ])
})

it('doctor warns of play money where others reach the server', async () => {
  const payments = { provider: 'play_money' } as const
  expect(await findingsOf('Payments', { payments, publicUrl: 'https://hop.example' })).toEqual([
    expect.stringMatching(/^warning: Play money is on at https:\/\/hop\.example/),
  ])
  const open = { payments, publicUrl: undefined, host: '0.0.0.0' }
  expect(await findingsOf('Payments', open)).toEqual([
    expect.stringMatching(/^warning: Play money is on at 0\.0\.0\.0/),
  ])
  const here = { payments, publicUrl: 'http://localhost:3000', host: '0.0.0.0' }
  expect(await findingsOf('Payments', here)).toEqual(['ok: Play money: nothing is charged.'])
})

it('doctor says when NATS does not answer', async () => {
  const { clicks } = createConfig(parseVariables({ CLICK_LOG: 'nats://127.0.0.1:1' }))
  expect(problemsIn(await findingsOf('Clicks', { clicks }))).toEqual([
    expect.stringMatching(/^problem: NATS does not answer at 127\.0\.0\.1:1 /),
  ])
})

it('doctor says when notifications do not arrive', async () => {
  const elsewhere = Object.assign(new URL(server.databaseUrl), { pathname: '/postgres' }).href
  expect(problemsIn(await findingsOf('Database', { databaseListenUrl: elsewhere }))).toEqual([
    expect.stringMatching(/^problem: Notifications do not arrive at DATABASE_LISTEN_URL/),
  ])
  const away = 'postgres://a:b@127.0.0.1:1/none'
  expect(problemsIn(await findingsOf('Database', { databaseListenUrl: away }))).toEqual([
    expect.stringMatching(/^problem: DATABASE_LISTEN_URL cannot listen for changes: /),
  ])
})

describe('collations that changed', () => {
  const made = '0.1'
  const setMade = async (version: string | null) => {
    await server.sql(
      `update pg_database set datcollversion = $1 where datname = current_database()`,
      [version],
    )
  }
  it('are named with the remedy, at the start too', async () => {
    const [before] = await server.sql<{ version: string | null }>(
      'select datcollversion as version from pg_database where datname = current_database()',
    )
    cleanups.push(() => setMade(before?.version ?? null))
    await setMade(made)
    const { log, messages } = recordLog()
    await warnOfCollations(server.databaseUrl, log)
    const remedy =
      /version 0\.1 .* Run "reindex database", then "alter database \w+ refresh collation version"/
    expect(messages()).toEqual([expect.stringMatching(remedy)])
    expect(problemsIn(await findingsOf('Database'))).toEqual([expect.stringMatching(remedy)])
  })

  it('are named when a column has one, and not when nothing does', async () => {
    await server.sql(`create collation app.unused (provider = icu, locale = 'de')`)
    await server.sql(`create collation app.of_words (provider = icu, locale = 'de')`)
    await server.sql('create table app.words (word text collate app.of_words)')
    cleanups.push(async () => {
      await server.sql('drop table app.words')
      await server.sql('drop collation app.of_words')
      await server.sql('drop collation app.unused')
    })
    await server.sql(
      `update pg_collation set collversion = $1 where collname in ('of_words', 'unused')`,
      [made],
    )
    const problems = problemsIn(await findingsOf('Database'))
    expect(problems).toEqual([
      expect.stringContaining('The collation app.of_words of the database'),
    ])
  })
})

it('doctor warns of a superuser', async () => {
  const superuser = new URL(server.superuserUrl)
  superuser.pathname = new URL(server.databaseUrl).pathname
  const warned = (findings: string[]) => findings.filter((each) => each.includes('superuser'))
  const { databaseUrl } = server
  expect(warned(await findingsOf('Database', { databaseUrl: superuser.href }))).toHaveLength(1)
  expect(warned(await findingsOf('Database', { databaseUrl }))).toEqual([])
})

it(
  'doctor warns of a database that knows no letters but ASCII',
  { tags: ['extended'] },
  async () => {
    const { config, log } = server.context
    const name = `letters_${process.pid}`
    await server.sql(
      `create database ${name} owner hoplet_login template template0 locale_provider libc locale 'C'`,
    )
    const url = Object.assign(new URL(server.databaseUrl), { pathname: `/${name}` }).href
    cleanups.push(() => server.sql(`drop database ${name} with (force)`))
    await migrate(url, log)
    const database = openDatabase(url, log)
    cleanups.push(() => database.close())
    const keys = await loadKeys(config.dataDir, config.signingKey)
    const found = await examine({ config, log, database, keys })
    expect(found.get('Database')).toContainEqual({
      level: 'warning',
      text: expect.stringMatching(/^The database has LC_CTYPE C/) as string,
    })
  },
)

it('doctor says when mail, storage or the AI refuse', async () => {
  const mailbox = await startSmtp()
  const { config } = server.context
  const withMail = { mail: { ...config.mail, smtpUrl: mailbox.url } }
  expect(problemsIn(await findingsOf('Mail', withMail))).toEqual([])
  await mailbox.close()
  expect(await findingsOf('Mail', withMail)).toEqual([
    expect.stringMatching(/^problem: The mail server refuses: .*ECONNREFUSED/),
  ])
  expect(await findingsOf('Mail')).toEqual([expect.stringMatching(/^warning: No SMTP_URL/)])

  const refusing = await listening(createServer((_, response) => response.writeHead(403).end('no')))
  const s3 = {
    endpoint: refusing,
    bucket: 'pictures',
    region: 'us-east-1',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
  }
  expect(await findingsOf('Storage', { media: { ...config.media, s3 } })).toEqual([
    expect.stringMatching(/^problem: The bucket pictures cannot be used: .*403/),
  ])
  const provider = { baseUrl: refusing, apiKey: 'key', textModel: 'm', imageModel: undefined }
  expect(await findingsOf('AI', { ai: { ...config.ai, provider } })).toEqual([
    expect.stringMatching(/^problem: The AI does not answer: 403/),
  ])
})

it('the doctor reports facts of the database, also when it is away', async () => {
  expect(await findingsOf('Database')).toContainEqual(
    expect.stringMatching(/^problem: fsync is off/),
  )
  const { config } = server.context
  const many = await findingsOf('Database', { databasePoolSize: 1_000, workers: 2 })
  expect(problemsIn(many)).toEqual([expect.stringMatching(/^problem: A server may need 1\d\d\d /)])

  const away = openDatabase('postgres://a:b@127.0.0.1:1/none', server.context.log)
  cleanups.push(() => away.close())
  const keys = await loadKeys(config.dataDir, config.signingKey)
  const found = await examine({ config, log: server.context.log, database: away, keys })
  expect(found.get('Database')?.map(({ level }) => level)).toEqual(['problem'])
  expect(found.get('Address')?.every(({ level }) => level === 'ok')).toBe(true)
})

it('doctor tells only the key of the server who a caller is', async () => {
  const ask = (token?: string) =>
    fetch(`${server.url}/functions/v1/request-origin`, {
      headers: token ? { Authorization: `Bearer ${token}` } : {},
    })
  expect((await ask()).status).toBe(401)
  expect((await ask(server.anonKey)).status).toBe(401)
  expect((await ask('x.y.z')).status).toBe(401)
  expect(await (await ask(server.serviceRoleKey)).json()).toEqual({
    address: '127.0.0.1',
    forwardedFor: [],
  })
})
