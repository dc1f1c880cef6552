/** @module-tag extended */
import { Agent } from 'node:http'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { broken, drive, historyOf, noCounts } from '#test/visits/history.ts'
import { freePort } from '#test/free-port.ts'
import { createTestDatabase } from '#test/database.ts'
import { startBuilt } from '#test/visits/built.ts'
import { scrape } from '#test/metrics/scrape.ts'
import { plantDomain } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { forgetfulWorkersEntry, journalsOf, setUpWorkers, workersOf } from './several.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)

describe('two workers', () => {
  it('leave questions about certificates to the primary, and tell it about unknown hosts', async () => {
    const { sql, start } = await setUpWorkers(cleanups)
    const adminPort = await freePort()
    const server = await start({ ADMIN_PORT: String(adminPort) })
    await plantDomain(sql, 'go.acme.example')
    const ask = async (host: string) =>
      (await fetch(`http://127.0.0.1:${adminPort}/tls/ask?domain=${host}`)).status
    await expect.poll(() => ask('go.acme.example'), { timeout: 60_000 }).toBe(200)
    expect(await ask('nobody.example')).toBe(404)
    // Metrics come when both workers are ready.
    const refused = async () =>
      (await scrape({ adminUrl: `http://127.0.0.1:${adminPort}` }).catch(() => undefined))?.value(
        'hoplet_tls_asks_total',
        { answer: 'refused' },
      )
    await expect.poll(refused, { timeout: 60_000 }).toBeGreaterThan(0)
    for (let i = 0; i < 10; i++)
      await visit(server.url, '/', {
        headers: { host: 'stranger.example' },
        agent: new Agent({ keepAlive: false }),
      })
    const unknown = async () =>
      (await sql<{ unknown_hosts: string[] }>('select unknown_hosts from app.servers')).map(
        (row) => row.unknown_hosts,
      )
    await expect.poll(unknown, { timeout: 60_000 }).toEqual([['stranger.example']])
  })

  it('share the port and the visits, know repeats together, and end in order', async () => {
    const { sql, dataDir, links, start } = await setUpWorkers(cleanups)
    // The requests below take 0.2 s; a client that asks after the drain gets ECONNRESET.
    const server = await start({ DRAIN_SECONDS: '15' })
    const counts = noCounts(links)
    const driver = drive(server.url, links, 200, counts)
    await driver.answered(300)
    // The driver's connections stay open; further ones come to the workers in turn.
    for (let journals: number[] = []; journals.length < 2; journals = await journalsOf(dataDir)) {
      const further = drive(server.url, links, 100, counts)
      await further.answered(1)
      await further.stop()
      expect([...further.statuses.keys()]).toEqual(['302'])
    }
    const ended = server.end('SIGTERM')
    const statusOf = (path: string) => fetch(`${server.url}${path}`).then(({ status }) => status)
    await expect.poll(() => statusOf('/health/ready')).toBe(503)
    expect(await statusOf('/health/live')).toBe(200)
    await driver.stop()
    expect([...driver.statuses.keys()]).toEqual(['302'])
    expect(await ended).toBe(0)
    expect(await journalsOf(dataDir)).toEqual([])

    const history = await historyOf(sql, links, counts)
    expect(broken(history)).toEqual([])
    expect(sum(history.map(({ counted }) => counted))).toBe(
      sum(history.map(({ received }) => received)),
    )
    // All come from one visitor: only the first visit of each link is no repeat, whichever worker had it.
    const verdicts = await sql<{ verdict: string; hits: string }>(
      'select verdict, count(*) as hits from app.click_events group by 1 order by 1',
    )
    expect(verdicts[0]).toEqual({ verdict: 'c', hits: String(links.length) })
  })

  it('know the first visit of a day together', async () => {
    const { sql, links, start } = await setUpWorkers(cleanups)
    const [link] = links
    await sql(
      `with ruled as (update app.shortened_urls set rules_version = 1 where id = $1)
        insert into app.link_rules (link_id, rules) values ($1, $2)`,
      [
        link?.id,
        JSON.stringify([
          {
            id: 'first',
            when: [{ fact: 'first_visit', is: [true] }],
            to: 'https://example.com/first',
          },
        ]),
      ],
    )
    const server = await start()
    // Connections stay with a worker; six are spread over both.
    const agents = Array.from({ length: 6 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
    cleanups.push(async () => agents.forEach((agent) => agent.destroy()))
    let visitors = 0
    const isFirstAt = async (visitor: number, agent: Agent | undefined) => {
      const headers = { 'user-agent': `Mozilla/5.0 (X11; Linux x86_64) Firefox/${visitor}.0` }
      const options = { headers, ...(agent && { agent }) }
      const { location } = await visit(server.url, `/${link?.code}`, options)
      return location === 'https://example.com/first'
    }
    await expect
      .poll(
        async () => {
          const visitor = ++visitors
          const first = await isFirstAt(visitor, agents[0])
          await sleep(300)
          const others = await Promise.all(agents.map((agent) => isFirstAt(visitor, agent)))
          return [first, ...others]
        },
        { timeout: 240_000 },
      )
      .toEqual([true, ...agents.map(() => false)])
  })

  it('are measured as one server, also when one of them has died', async () => {
    const { links, start, dataDir } = await setUpWorkers(cleanups)
    // An earlier process held seven clicks in memory only, and was killed.
    await mkdir(join(dataDir, 'journal'))
    await writeFile(join(dataDir, 'journal', 'only-in-memory'), '7')
    const adminPort = await freePort()
    const server = await start({ ADMIN_PORT: String(adminPort) })
    const adminUrl = `http://127.0.0.1:${adminPort}`
    const visits = 40
    for (let i = 0; i < visits; i++)
      // Each on a new connection, and so in turn at either worker.
      await visit(server.url, `/${links[i % links.length]?.code}`, {
        agent: new Agent({ keepAlive: false }),
      })
    const counted = async () =>
      (await scrape({ adminUrl })).value('hoplet_visits_total', { outcome: 'redirect' })
    expect(await counted()).toBe(visits)
    const before = await scrape({ adminUrl })
    expect(before.value('hoplet_workers')).toBe(2)
    expect(before.value('hoplet_workers_ready')).toBe(2)
    expect(before.value('hoplet_worker_deaths_total')).toBe(0)
    expect(before.value('hoplet_database_up')).toBe(1)
    expect(before.value('hoplet_clicks_lost_total')).toBe(7)

    const [victim] = await workersOf(server)
    process.kill(victim ?? 0, 'SIGKILL')
    const after = async (name: string) => (await scrape({ adminUrl })).value(name)
    await expect.poll(() => after('hoplet_worker_deaths_total')).toBe(1)
    await expect.poll(() => after('hoplet_workers_ready')).toBe(2)
    expect(await counted()).toBe(visits)
    expect((await fetch(`${adminUrl}/health/ready`)).status).toBe(200)
    expect((await fetch(`${adminUrl}/health/live`)).status).toBe(200)
    expect(await server.end('SIGTERM')).toBe(0)
  })

  it('take from the same rate limits', async () => {
    const { start } = await setUpWorkers(cleanups)
    const server = await start({ RATE_LIMITS: 'on' })
    const attempts = 100
    let allowed = 0
    for (let i = 0; i < attempts; i++) {
      // Each on a new connection, and so in turn at either worker.
      const agent = new Agent({ keepAlive: false })
      const { status } = await visit(server.url, `/missing-${i}`, { agent })
      if (status !== 429) allowed++
    }
    // 30 at once and one more every two seconds; each worker alone would allow as many.
    expect(allowed).toBeGreaterThanOrEqual(30)
    expect(allowed).toBeLessThan(55)
  })
})

describe('kill -9', () => {
  it.each([
    { what: 'loses no visit that was answered and counts none twice' },
    { what: 'fails the same check when workers keep clicks in memory (control)', forgetful: true },
  ])('of a worker, then of the primary, $what', async ({ forgetful = false }) => {
    const { sql, links, start } = await setUpWorkers(cleanups)
    const counts = noCounts(links)
    const server = await start({}, forgetful ? forgetfulWorkersEntry : undefined)
    const driver = drive(server.url, links, 200, counts)
    await driver.answered(200)
    const [victim, survivor] = await workersOf(server)
    process.kill(victim ?? 0, 'SIGKILL')
    await expect.poll(() => workersOf(server)).not.toContain(victim)
    await expect.poll(() => workersOf(server)).toHaveLength(2)
    expect(await workersOf(server)).toContain(survivor)
    const redirects = () => driver.statuses.get('302') ?? 0
    for (const before = redirects(); redirects() < before + 200;) await sleep(20)
    await server.end('SIGKILL')
    await driver.stop()

    // What its workers wrote until they noticed is applied as well.
    const next = await start()
    expect(await next.end('SIGTERM')).toBe(0)
    const history = await historyOf(sql, links, counts)
    if (forgetful) expect(broken(history).length).toBeGreaterThan(0)
    else expect(broken(history)).toEqual([])
    expect(sum(history.map(({ received }) => received))).toBeGreaterThan(300)
  })
})

describe('kill -9 of a worker', () => {
  it('leaves no visitor waiting, not even one on a connection that it had not taken yet', async () => {
    const { links, start } = await setUpWorkers(cleanups)
    const server = await start()
    const [worker] = await workersOf(server)
    if (worker === undefined) throw new Error('no worker')
    process.kill(worker, 'SIGSTOP')
    let ended = 0
    const visits = Array.from({ length: 8 }, () => {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.on('error', () => {})
      socket.on('close', () => ended++)
      socket
        .resume()
        .write(`GET /${links[0]?.code} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      return closed
    })
    // The other worker answers all but that one.
    await expect.poll(() => ended).toBe(7)
    process.kill(worker, 'SIGKILL')
    await Promise.all(visits)
  })
})

describe('SIGHUP', () => {
  it('replaces all workers under load without a failed request', async () => {
    const { sql, links, start } = await setUpWorkers(cleanups)
    const server = await start()
    const former = await workersOf(server)
    const counts = noCounts(links)
    const driver = drive(server.url, links, 200, counts)
    await driver.answered(100)
    server.process.kill('SIGHUP')
    await expect
      .poll(async () => (await workersOf(server)).filter((pid) => former.includes(pid)))
      .toEqual([])
    await expect.poll(() => workersOf(server)).toHaveLength(2)
    await driver.answered(sum([...driver.statuses.values()]) + 100)
    await driver.stop()
    expect([...driver.statuses.keys()]).toEqual(['302'])
    expect(await server.end('SIGTERM')).toBe(0)
    const history = await historyOf(sql, links, counts)
    expect(broken(history)).toEqual([])
    expect(sum(history.map(({ counted }) => counted))).toBe(
      sum(history.map(({ received }) => received)),
    )
  })

  it.each([{}, { WORKERS: '1' }])('does not stop a server in one process %o', async (settings) => {
    const database = await createTestDatabase()
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-reload-'))
    cleanups.push(
      () => database.drop(),
      () => rm(dataDir, { recursive: true, force: true }),
    )
    const environment = { DATABASE_URL: database.url, DATA_DIR: dataDir, LOG_LEVEL: 'info' }
    const server = await startBuilt({ ...environment, ...settings })
    cleanups.push(() => server.end('SIGKILL'))
    server.process.kill('SIGHUP')
    await expect.poll(() => server.log()).toContain('"signal":"SIGHUP"')
    expect(server.log()).not.toContain('stopping')
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
    // The control.
    expect(await server.end('SIGTERM')).toBe(0)
    expect(server.log()).toContain('stopping')
  })

  it('a reload differs from kills: with those requests fail (control)', async () => {
    const { links, start } = await setUpWorkers(cleanups)
    const server = await start()
    const driver = drive(server.url, links, 200, noCounts(links))
    await driver.answered(100)
    for (const pid of await workersOf(server)) process.kill(pid, 'SIGKILL')
    while (!driver.statuses.has('broken')) await sleep(20)
    await server.end('SIGTERM')
    await driver.stop()
  })
})
