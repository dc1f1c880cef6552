/** @module-tag extended */
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findProgram } from '../../scripts/debian-programs.mjs'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { freePort } from '../free-port.ts'
import { scrape, withAdminPort } from '../metrics/scrape.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { plantDomain, plantLinks } from '../visits/plant.ts'
import { startCaddy } from './caddy.ts'

const program = findProgram('caddy')
const version = program && execFileSync(program, ['version'], { encoding: 'utf8' }).trim()
const own = 'hop.example'
const url = (host: string) => `https://example.com/${host}`

describe.skipIf(!program)(`TLS by Caddy ${version} in front`, () => {
  let server: TestServer
  let caddy: Awaited<ReturnType<typeof startCaddy>>

  const startFront = (node = server.url, adminNode = server.adminUrl) =>
    startCaddy({ program: program ?? '', node, adminNode, host: own })
  /** Plants a domain with a link `/menu`. */
  async function plant(host: string, columns: Record<string, unknown> = {}) {
    const domain = await plantDomain(server.sql, host, columns)
    await plantLinks(server.sql, [{ code: `${domain.id}/menu`, url: url(host) }], domain.owner)
    return domain
  }
  const served = (host: string) =>
    vi.waitFor(() => expect(server.context.hosts.mayHaveCertificate(host)).toBe(true), {
      timeout: 60_000,
    })

  beforeAll(async () => {
    server = await startTestServer({
      ...withAdminPort,
      publicUrl: `https://${own}`,
      trustedProxies: 1,
      unknownHosts: 'refuse',
      databaseConnectTimeoutMs: 3_000,
    })
    await plantLinks(server.sql, [{ code: 'menu', url: url(own) }])
    await plant('a.example', { registered_domain: 'a.example' })
    await plant('b.example')
    await served('a.example')
    await served('b.example')
    caddy = await startFront()
  })
  afterAll(async () => {
    await caddy.stop()
    await server.close()
  })

  it('a host that is added serves its first link over TLS, without a restart', async () => {
    await plant('fresh.example')
    await served('fresh.example')
    expect(await caddy.get({ sni: 'fresh.example', target: '/menu' })).toMatchObject({
      status: 302,
      location: url('fresh.example'),
      names: 'DNS:fresh.example',
    })
    expect(await caddy.get({ sni: own, target: '/menu' })).toMatchObject({ location: url(own) })
    expect(await caddy.get({ sni: 'www.a.example', target: '/menu?x' })).toMatchObject({
      status: 308,
      location: 'https://a.example/menu?x',
    })
  })

  it('a host that is not ours gets no certificate', async () => {
    await plant('unproven.example', { is_served: false, is_proven: false })
    const before = (await scrape(server)).value('hoplet_tls_asks_total', { answer: 'refused' })
    for (const sni of ['nobody.example', 'unproven.example', 'www.b.example', 'x.a.example'])
      expect(await caddy.get({ sni })).toMatch(/alert|internal error|disconnected|socket/)
    const after = (await scrape(server)).value('hoplet_tls_asks_total', { answer: 'refused' })
    expect(after - before).toBeGreaterThanOrEqual(4)
  })

  it('a mixed pair of handshake and Host is decided by Host', async () => {
    const at = (sni: string, host: string, target = '/menu') => caddy.get({ sni, host, target })
    expect(await at('a.example', 'b.example')).toMatchObject({ location: url('b.example') })
    expect(await at('b.example', 'A.EXAMPLE')).toMatchObject({ location: url('a.example') })
    expect(await at(own, 'b.example')).toMatchObject({ location: url('b.example') })
    expect(await at('a.example', own)).toMatchObject({ location: url(own) })
    for (const host of ['nobody.example', 'unproven.example', 'x y', 'a.example@b.example'])
      expect(await at('a.example', host)).toMatchObject({ status: expect.toBeOneOf([400, 421]) })
    // A domain that is proven and not served yet has its certificate, and nothing else.
    await plant('soon.example', { is_served: false })
    await served('soon.example')
    expect(await at('soon.example', 'soon.example')).toMatchObject({ status: 421 })
    const probed = await at('soon.example', 'soon.example', '/.well-known/hoplet')
    expect(probed).toMatchObject({ status: 200, body: expect.stringContaining('"hoplet"') })
  })

  it('a Caddy that starts while the database is away gets certificates, and visitors their links', async () => {
    for (const host of ['a.example', own]) await caddy.get({ sni: host, target: '/menu' })
    await setConnections(server, false)
    onTestFinished(() => setConnections(server, true))
    await caddy.stop()
    // Without the certificates of the former one: it has to ask.
    caddy = await startFront()
    expect(await caddy.get({ sni: 'a.example', target: '/menu' })).toMatchObject({
      status: 302,
      location: url('a.example'),
      names: 'DNS:a.example',
    })
    expect(await caddy.get({ sni: 'nobody.example' })).toMatch(
      /alert|internal error|disconnected|socket/,
    )
  })

  it('a Hoplet that starts while the database is away keeps TLS alive', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-caddy-data-'))
    const copy = join(server.context.config.dataDir, 'certified-hosts')
    const copied = () => readFile(copy, 'utf8')
    await expect.poll(copied, { timeout: 30_000 }).toContain('\nb.example\n')
    await writeFile(join(dataDir, 'certified-hosts'), await copied())
    const [port, adminPort, nowhere] = [await freePort(), await freePort(), await freePort()]
    const abort = new AbortController()
    const starting = startHoplet(
      createConfig(
        parseVariables({
          DATA_DIR: dataDir,
          PORT: String(port),
          ADMIN_PORT: String(adminPort),
          PUBLIC_URL: `https://${own}`,
          DATABASE_URL: `postgres://hoplet@127.0.0.1:${nowhere}/hoplet`,
        }),
      ),
      createLog('silent'),
      { signal: abort.signal },
    )
    const ended = starting.catch(() => {})
    const front = await startFront(`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`)
    onTestFinished(async () => {
      abort.abort()
      await ended
      await front.stop()
      await rm(dataDir, { recursive: true })
    })
    // Nothing serves behind it yet, and browsers see no wrong certificate.
    expect(await front.get({ sni: 'b.example' })).toMatchObject({
      status: expect.toBeOneOf([502, 503]),
      names: 'DNS:b.example',
    })
    expect(await front.get({ sni: 'nobody.example' })).toMatch(
      /alert|internal error|disconnected|socket/,
    )
  })
})

/** Takes the database away, from outside of it. */
async function setConnections(server: TestServer, areAllowed: boolean): Promise<void> {
  const url = new URL(server.superuserUrl)
  const name = new URL(server.databaseUrl).pathname.slice(1)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`alter database ${name} allow_connections ${areAllowed}`)
  if (!areAllowed)
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [name],
    )
  await client.end()
}
