import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { keepCertifiedHosts, readCertifiedHosts } from '#server/http/certified-hosts.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { freePort } from '../free-port.ts'
import { scrape, withAdminPort } from '../metrics/scrape.ts'
import { recordLog } from '../record-log.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { plantDomain } from '../visits/plant.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    ...withAdminPort,
    publicUrl: 'https://app.example',
    linksUrl: 'https://hop.example',
  })
  await plantDomain(server.sql, 'served.example', { is_proven: false })
  await plantDomain(server.sql, 'proven.example', { is_served: false })
  await plantDomain(server.sql, 'pending.example', { is_served: false, is_proven: false })
  const apex = { registered_domain: 'apex.example' }
  await plantDomain(server.sql, 'apex.example', apex)
  const grace = { registered_domain: 'grace.example', is_proven: false }
  await plantDomain(server.sql, 'grace.example', grace)
  await plantDomain(server.sql, 'xn--bcher-kva.example')
  const { domains } = server.context.hosts
  await vi.waitFor(() => expect(domains.allowed()).toHaveLength(6), 60_000)
})
afterAll(() => server.close())

/** The status of a question as Caddy asks it. */
const ask = (adminUrl: string, query: string, method = 'GET') =>
  new Promise<number>((resolve, reject) => {
    request(`${adminUrl}/tls/ask${query}`, { method }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })

const allowed = [
  'served.example',
  'proven.example',
  'apex.example',
  'www.apex.example',
  'grace.example',
  'xn--bcher-kva.example',
  'app.example',
  'hop.example',
  'www.hop.example',
  'SERVED.Example',
  'served.example.',
]

const refused = [
  'pending.example',
  'nobody.example',
  'www.served.example',
  'www.proven.example',
  // Its grace has begun: its owner may no longer have the DNS of www.
  'www.grace.example',
  'www.www.apex.example',
  'x.served.example',
  'example',
  'localhost',
  '127.0.0.1',
  '[::1]',
  '::1',
  '*.served.example',
  'served.example:443',
  'served.example/x',
  'https://served.example',
  'served.example,proven.example',
  'served.example%00',
  'served.example%0d%0a',
  'served..example',
  '.served.example',
  'b%C3%BCcher.example',
  `${'a'.repeat(300)}.served.example`,
  'a.'.repeat(4_000),
  '',
  '%',
  '__proto__',
  'constructor',
]

describe('/tls/ask', () => {
  it('allows the hosts that are served or proven, and the own ones', async () => {
    for (const domain of allowed)
      for (const from of ['', '&from=caddy'])
        expect([domain, await ask(server.adminUrl, `?domain=${domain}${from}`)]).toEqual([
          domain,
          200,
        ])
  })

  it('allows no other host, in any form', async () => {
    const queries = [
      ...refused.map((domain) => `?domain=${domain}`),
      '',
      '?',
      '?Domain=served.example',
    ]
    // Which of two would a reader take?
    queries.push(
      '?domain=served.example&domain=nobody.example',
      '?domain=nobody.example&domain=served.example',
    )
    for (const query of queries) {
      const status = await ask(server.adminUrl, query)
      expect([query.slice(0, 60), status]).toEqual([query.slice(0, 60), 404])
    }
    expect(await ask(server.adminUrl, '?domain=served.example', 'POST')).toBe(405)
    expect(await ask(`${server.adminUrl}/x`, '?domain=served.example')).toBe(404)
    // The public port names no customer.
    expect(await ask(server.url, '?domain=served.example')).toBe(404)
  })

  it('counts its answers', async () => {
    const before = await scrape(server)
    for (let i = 0; i < 50; i++) await ask(server.adminUrl, '?domain=served.example')
    for (let i = 0; i < 30; i++) await ask(server.adminUrl, `?domain=stranger-${i}.example`)
    const after = await scrape(server)
    const added = (answer: string) =>
      after.value('hoplet_tls_asks_total', { answer }) -
      before.value('hoplet_tls_asks_total', { answer })
    expect([added('allowed'), added('refused')]).toEqual([50, 30])
  })

  it('follows the domains', async () => {
    const status = () => ask(server.adminUrl, '?domain=short.example')
    const { id } = await plantDomain(server.sql, 'short.example')
    await expect.poll(status, { timeout: 30_000 }).toBe(200)
    await server.sql('delete from app.domains where id = $1', [id])
    await expect.poll(status, { timeout: 30_000 }).toBe(404)
  })
})

describe('a blocked host', () => {
  it('is neither served nor allowed, nor is one below it', async () => {
    const blocked = ['bad.example', 'go.bad.example']
    for (const host of blocked) await plantDomain(server.sql, host)
    const statuses = () =>
      Promise.all(blocked.map((host) => ask(server.adminUrl, `?domain=${host}`)))
    await expect.poll(statuses, { timeout: 30_000 }).toEqual([200, 200])
    await server.sql(`insert into app.blocks (kind, value) values ('host', 'bad.example')`)
    await expect.poll(statuses, { timeout: 30_000 }).toEqual([404, 404])
    for (const host of blocked) expect(server.context.hosts.knownPlaceAt(host)).toBeUndefined()
    await server.sql(`delete from app.blocks where value = 'bad.example'`)
  })
})

describe('the copy of the hosts', () => {
  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), 'hoplet-hosts-'))
    onTestFinished(() => rm(path, { recursive: true }))
    return path
  }
  const log = createLog('silent')

  it('answers a start that waits for its database, and the listener has nothing else', async () => {
    const copy = join(server.context.config.dataDir, 'certified-hosts')
    const known = async () => readFile(copy, 'utf8').catch(() => '')
    await expect.poll(known, { timeout: 30_000 }).toContain('\nproven.example\n')
    expect((await stat(copy)).mode & 0o777).toBe(0o600)
    const dataDir = await folder()
    await writeFile(join(dataDir, 'certified-hosts'), await known())
    const [port, adminPort] = [await freePort(), await freePort()]
    const abort = new AbortController()
    const starting = startHoplet(
      createConfig(
        parseVariables({
          DATA_DIR: dataDir,
          PORT: String(port),
          ADMIN_PORT: String(adminPort),
          PUBLIC_URL: 'https://app.example',
          // Nothing listens there.
          DATABASE_URL: `postgres://hoplet@127.0.0.1:${await freePort()}/hoplet`,
        }),
      ),
      log,
      { signal: abort.signal },
    )
    const ended = expect(starting).rejects.toThrow()
    const adminUrl = `http://127.0.0.1:${adminPort}`
    const answers = () => ask(adminUrl, '?domain=served.example').catch(() => 0)
    await expect.poll(answers, { timeout: 30_000 }).toBe(200)
    for (const host of ['proven.example', 'www.apex.example', 'app.example'])
      expect([host, await ask(adminUrl, `?domain=${host}`)]).toEqual([host, 200])
    for (const host of ['pending.example', 'nobody.example', 'www.served.example'])
      expect([host, await ask(adminUrl, `?domain=${host}`)]).toEqual([host, 404])
    const status = async (path: string) => (await fetch(adminUrl + path)).status
    expect(await status('/health/live')).toBe(200)
    expect(await status('/health/ready')).toBe(503)
    expect(await status('/metrics')).toBe(503)
    abort.abort()
    await ended
    // The listener ends with the start.
    expect(await answers()).toBe(0)
  })

  it('stays in use as memory has it while the database is away', async () => {
    const own = await startTestServer({ ...withAdminPort, databaseConnectTimeoutMs: 500 })
    onTestFinished(() => own.close())
    await plantDomain(own.sql, 'kept.example')
    const status = () => ask(own.adminUrl, '?domain=kept.example')
    await expect.poll(status, { timeout: 30_000 }).toBe(200)
    const { database } = own.context
    const down = vi.spyOn(database, 'transactionAs').mockRejectedValue(new Error('away'))
    expect(await status()).toBe(200)
    expect(await ask(own.adminUrl, '?domain=nobody.example')).toBe(404)
    down.mockRestore()
  })

  it.each([
    ['cut off', (text: string) => text.slice(0, -3)],
    ['with another host', (text: string) => text.replace('one.example', 'evl.example')],
    ['without a heading', (text: string) => text.slice(text.indexOf('\n') + 1)],
    ['empty', () => ''],
    ['binary', () => '\0\u{ffff}\n\0'],
    ['larger than it can be', (text: string) => text + 'x'.repeat(9 * 1024 ** 2)],
  ])('is ignored when it is %s', async (_, damage) => {
    const dataDir = await folder()
    const hosts = ['one.example', 'two.example']
    await keepAll(dataDir, hosts)
    // The control.
    expect(await readCertifiedHosts(dataDir, log)).toEqual(hosts)
    const path = join(dataDir, 'certified-hosts')
    await writeFile(path, damage(await readFile(path, 'utf8')))
    const { log: told, lines } = recordLog()
    expect(await readCertifiedHosts(dataDir, told)).toEqual([])
    expect(lines).toHaveLength(1)
  })

  it('has bounds, and is not written again without a change', async () => {
    const dataDir = await folder()
    const many = Array.from(
      { length: 80_000 },
      (_, i) => `${'a'.repeat(60)}.${'b'.repeat(60)}.h${i}.example`,
    )
    await keepAll(dataDir, many)
    const path = join(dataDir, 'certified-hosts')
    const { size, ino } = await stat(path)
    expect(size).toBeLessThanOrEqual(8 * 1024 ** 2)
    const kept = await readCertifiedHosts(dataDir, log)
    expect(kept).toEqual(many.slice(0, kept.length))
    expect(kept.length).toBeGreaterThan(50_000)
    const keeper = keepCertifiedHosts(dataDir, () => ['one.example'], log)
    keeper.changed()
    keeper.changed()
    await keeper.close()
    const { ino: next } = await stat(path)
    expect(next).not.toBe(ino)
  })

  it('is nothing where there was no server before', async () => {
    expect(await readCertifiedHosts(await folder(), log)).toEqual([])
  })

  async function keepAll(dataDir: string, hosts: string[]): Promise<void> {
    const keeper = keepCertifiedHosts(dataDir, () => hosts, log)
    keeper.changed()
    await keeper.close()
  }
})
