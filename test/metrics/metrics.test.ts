import { mkdir, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { DatabaseUnavailableError } from '#server/postgres/database.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { scrape, withAdminPort, type Scraped } from './scrape.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(withAdminPort)
})
afterAll(() => server.close())

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** The changes by `work`: the difference of each counter that moved. */
async function movedBy(work: () => Promise<unknown>, on = server): Promise<Record<string, number>> {
  const before = await scrape(on)
  await work()
  const after = await scrape(on)
  const moved: Record<string, number> = {}
  for (const [, { type, samples }] of after.families) {
    for (const { name, labels, value } of samples) {
      if (type === 'gauge' || !name.startsWith('hoplet_') || name.endsWith('_sum')) continue
      if (name.endsWith('_bucket')) continue
      const difference = value - valueOrZero(before, name, labels)
      const words = Object.values(labels).join(' ')
      if (difference !== 0) moved[words ? `${name} ${words}` : name] = difference
    }
  }
  return moved
}

function valueOrZero(scraped: Scraped, name: string, labels: Record<string, string>): number {
  try {
    return scraped.value(name, labels)
  } catch {
    return 0
  }
}

const applied = () => server.context.visits.status().clicks.applied

/** Every pair of a metric of ours and its labels. Node's own labels, such as kinds of sockets, come and go. */
const seriesOf = ({ families }: Scraped) =>
  [...families.values()].flatMap(({ samples }) =>
    samples
      .filter(({ name }) => name.startsWith('hoplet_'))
      .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`),
  )

describe('visits', () => {
  it('visits are counted exactly, by outcome, with their duration', async () => {
    await plantLinks(server.sql, [{ code: 'metered', url: 'https://example.com/' }])
    const before = applied()
    const moved = await movedBy(async () => {
      for (let i = 0; i < 20; i++) await visit(server.url, '/metered')
      for (let i = 0; i < 3; i++) await visit(server.url, '/metered', { method: 'HEAD' })
      for (let i = 0; i < 2; i++) await visit(server.url, `/no-such-${i}`)
      await visit(server.url, '/metered', { method: 'DELETE' })
      await visit(server.url, '/demo')
      await visit(server.url, '/404')
      await expect.poll(applied).toBe(before + 20)
    })
    expect(moved).toMatchObject({
      'hoplet_visits_total redirect': 23,
      'hoplet_visits_total missing': 2,
      'hoplet_visits_total wrong-method': 1,
      'hoplet_visits_total demo': 1,
      'hoplet_visits_total not-found': 1,
      hoplet_visits_fast_lane_total: 20,
      hoplet_visit_duration_seconds_count: 28,
      'hoplet_http_requests_total visits 3xx': 25,
      'hoplet_http_requests_total visits 2xx': 1,
      'hoplet_http_requests_total visits 4xx': 2,
      hoplet_clicks_applied_total: 20,
      hoplet_name_lookups_total: 3,
    })
    expect(Object.keys(moved).filter((name) => name.startsWith('hoplet_visits'))).toHaveLength(6)
  })

  it('visits show cache hits of names, and invalidations', async () => {
    const owner = await makeUser(server)
    await plantLinks(server.sql, [{ code: 'cached', url: 'https://example.com/' }], owner.id)
    const moved = await movedBy(async () => {
      for (let i = 0; i < 10; i++) await visit(server.url, '/cached')
    })
    expect(moved).toMatchObject({
      hoplet_name_cache_hits_total: 9,
      hoplet_name_cache_misses_total: 1,
      hoplet_name_lookups_total: 1,
    })
    const known = await scrape(server)
    expect(known.value('hoplet_name_cache_entries', { kind: 'found' })).toBe(
      server.context.visits.status().entries,
    )
    const changed = await movedBy(async () => {
      const { changes } = server.context.visits.measures().cache
      await server.sql(`update app.shortened_urls set original_url = 'https://example.com/new'
        where short_code = 'cached'`)
      await expect
        .poll(() => server.context.visits.measures().cache.changes)
        .toBeGreaterThan(changes)
    })
    expect(changed).toMatchObject({ 'hoplet_name_cache_invalidations_total one': 1 })
  })

  it('that wait in the journal are counted, in bytes, clicks and age', async () => {
    const own = await startTestServer(withAdminPort)
    cleanups.push(own.close)
    await plantLinks(own.sql, [{ code: 'waits', url: 'https://example.com/' }])
    await visit(own.url, '/waits')
    await expect.poll(() => own.context.visits.status().clicks.applied).toBe(1)
    const { database } = own.context
    const { transactionAs } = database
    database.transactionAs = (caller, work) =>
      caller.role === 'hoplet_visits' && caller.statementTimeout === 10_000
        ? Promise.reject(new DatabaseUnavailableError('away'))
        : transactionAs(caller, work)
    for (let i = 0; i < 7; i++) await visit(own.url, '/waits')
    const waiting = await scrape(own)
    expect(waiting.value('hoplet_journal_waiting_clicks')).toBe(7)
    expect(waiting.value('hoplet_journal_waiting_bytes')).toBe(
      own.context.visits.lag()?.waitingBytes,
    )
    expect(waiting.value('hoplet_journal_waiting_bytes')).toBeGreaterThan(7 * 50)
    await expect
      .poll(async () => (await scrape(own)).value('hoplet_journal_oldest_waiting_seconds'))
      .toBeGreaterThanOrEqual(1)
    database.transactionAs = transactionAs
    await expect.poll(async () => (await scrape(own)).value('hoplet_clicks_applied_total')).toBe(8)
    const drained = await scrape(own)
    for (const what of ['clicks', 'bytes']) {
      expect(drained.value(`hoplet_journal_waiting_${what}`)).toBe(0)
    }
    expect(drained.value('hoplet_journal_oldest_waiting_seconds')).toBe(0)
    expect(drained.value('hoplet_journal_degraded')).toBe(0)
  })
})

describe('a journal that cannot be written', () => {
  it('is shown, and so is its return', { tags: ['extended'] }, async () => {
    const own = await startTestServer(withAdminPort)
    cleanups.push(own.close)
    await plantLinks(own.sql, [{ code: 'unsafe', url: 'https://example.com/' }])
    const journal = join(own.context.config.dataDir, 'journal')
    await rm(journal, { recursive: true })
    for (let i = 0; i < 5; i++) expect((await visit(own.url, '/unsafe')).status).toBe(302)
    const metrics = await scrape(own)
    expect(metrics.value('hoplet_journal_degraded')).toBe(1)
    expect(metrics.value('hoplet_clicks_applied_total')).toBe(5)
    expect(metrics.value('hoplet_clicks_lost_total')).toBe(0)
    await mkdir(journal)
    await expect
      .poll(async () => {
        await visit(own.url, '/unsafe')
        return (await scrape(own)).value('hoplet_journal_degraded')
      })
      .toBe(0)
  })
})

describe('requests', () => {
  it('are counted by door and status class', async () => {
    const user = await makeUser(server)
    const moved = await movedBy(async () => {
      for (const [path, times] of [
        ['/auth/v1/health', 2],
        ['/auth/v1/user', 3],
        ['/rest/v1/shortened_urls', 4],
        ['/rest/v1/no-such-table', 1],
        ['/media/none.webp', 1],
        ['/report', 1],
        ['/.well-known/none', 1],
        ['/health/live', 5],
        ['/sandbox/none', 1],
        ['/functions/v1/none', 1],
        ['/a/b/c', 2],
      ] as const) {
        for (let i = 0; i < times; i++)
          await fetch(`${server.url}${path}`, {
            redirect: 'manual',
            headers: path.startsWith('/rest') ? user.headers : {},
          })
      }
    })
    expect(moved).toMatchObject({
      'hoplet_http_requests_total auth 2xx': 2,
      'hoplet_http_requests_total auth 4xx': 3,
      'hoplet_http_requests_total rest 2xx': 4,
      'hoplet_http_requests_total rest 4xx': 1,
      'hoplet_http_requests_total media 4xx': 1,
      'hoplet_http_requests_total well-known 4xx': 1,
      'hoplet_http_requests_total health 2xx': 5,
      'hoplet_http_requests_total functions 4xx': 1,
      'hoplet_http_request_duration_seconds_count auth': 5,
      'hoplet_http_request_duration_seconds_count rest': 5,
      'hoplet_http_request_duration_seconds_count health': 5,
      'hoplet_http_request_duration_seconds_count web': 2,
    })
  })

  it('that no door saw are counted, too', async () => {
    const moved = await movedBy(async () => {
      await raw(server, 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n')
      await raw(server, `GET /${'a'.repeat(9_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
      await raw(server, 'nonsense\r\n\r\n')
    })
    expect(moved['hoplet_http_requests_total none 4xx']).toBe(3)
  })

  it('add no labels, however strange their paths and methods are', async () => {
    const before = new Set(seriesOf(await scrape(server)))
    for (let i = 0; i < 60; i++) {
      const paths = [
        `/auth/v1/${i}`,
        `/auth/v1x${i}`,
        `/rest/v1/"table${i}\\`,
        `/functions/v1/%0a${i}{}`,
        `/media/..%2f${i}`,
        `/x${i}/y/z`,
        `/code-${i}`,
        `/code-${i}/popup/action-${i}`,
        `//evil${i}.example/auth/v1/x`,
        `/constructor/__proto__/${i}`,
      ]
      for (const path of paths)
        await strange(server, path, ['GET', 'POST', 'PURGE', 'M-SEARCH'][i % 4] ?? 'GET')
    }
    // A status may be the first of its kind at a door. One path of each round would make 60.
    const added = seriesOf(await scrape(server)).filter((series) => !before.has(series))
    expect(added.length, added.join('\n')).toBeLessThan(20)
    expect(added.join('\n')).not.toMatch(/evil|code-|table|constructor|__proto__|PURGE|M-SEARCH/)
  })
})

describe('refusals', () => {
  it('by rate limits are counted by the name of the limit', async () => {
    const limited = await startTestServer({ ...withAdminPort, rateLimits: true })
    cleanups.push(limited.close)
    const visits: number[] = []
    const signUps: number[] = []
    const moved = await movedBy(async () => {
      for (let i = 0; i < 35; i++) visits.push((await visit(limited.url, `/guess${i}`)).status)
      for (let i = 0; i < 33; i++) {
        const answer = await fetch(`${limited.url}/auth/v1/signup`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
        signUps.push(answer.status)
      }
    }, limited)
    const refused = (statuses: number[]) => statuses.filter((status) => status === 429).length
    expect(refused(signUps)).toBeGreaterThan(0)
    expect(moved['hoplet_rate_limit_refusals_total auth sign-up']).toBe(refused(signUps))
    expect(refused(visits)).toBeGreaterThan(0)
    expect(moved['hoplet_http_requests_total visits 4xx']).toBe(refused(visits))
    // After the first refusal the others are not asked any more.
    expect(moved['hoplet_rate_limit_refusals_total visit-miss']).toBe(1)
    expect(moved['hoplet_visits_total too-many-misses']).toBe(refused(visits) - 1)
  })

  it('of connections are counted', async () => {
    const limited = await startTestServer({ ...withAdminPort, connectionsPerAddress: 3 })
    cleanups.push(limited.close)
    const { hostname, port } = new URL(limited.url)
    const moved = await movedBy(async () => {
      const sockets = Array.from({ length: 5 }, () => connect(Number(port), hostname))
      cleanups.push(async () => sockets.forEach((socket) => socket.destroy()))
      await expect.poll(() => limited.context.traffic.refusedConnections()).toBe(2)
      expect((await scrape(limited)).value('hoplet_http_connections')).toBe(3)
    }, limited)
    expect(moved['hoplet_http_connections_refused_total']).toBe(2)
  })

  it('refusals by a plan are counted by the exhausted limit', async () => {
    const user = await makeUser(server)
    const insert = async (row: Record<string, string>) => {
      const { status } = await fetch(`${server.url}/rest/v1/shortened_urls`, {
        method: 'POST',
        headers: { ...user.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ user_id: user.id, original_url: 'https://example.com/', ...row }),
      })
      return status
    }
    const statuses: number[] = []
    const moved = await movedBy(async () => {
      for (let i = 0; i < 4; i++) statuses.push(await insert({ short_code: `mine${i}` }))
    })
    expect(statuses).toEqual([201, 201, 400, 400])
    expect(moved['hoplet_quota_refusals_total custom-codes']).toBe(2)
    expect(moved['hoplet_quota_refusals_total links']).toBeUndefined()
  })
})

describe('the admin port', () => {
  it('is closed by default', async () => {
    const plain = await startTestServer()
    cleanups.push(plain.close)
    expect(plain.adminUrl).toBe('')
  })

  it('answers health as the public port does, and nothing else', async () => {
    const answerOf = async (url: string, method = 'GET') => {
      const answer = await fetch(url, { method })
      return [answer.status, answer.headers.get('content-type'), await answer.text()]
    }
    for (const path of ['/health/live', '/health/ready'])
      for (const method of ['GET', 'HEAD', 'POST'])
        expect(await answerOf(server.adminUrl + path, method)).toEqual(
          await answerOf(server.url + path, method),
        )
    for (const path of ['/', '/metrics/x', '/auth/v1/health', '/rest/v1/shortened_urls'])
      expect((await fetch(server.adminUrl + path)).status).toBe(404)
    expect((await fetch(`${server.adminUrl}/metrics`, { method: 'POST' })).status).toBe(405)
  })

  it('tells that the server is going down while the public port drains', async () => {
    const own = await startTestServer(withAdminPort)
    own.context.draining = true
    expect((await fetch(`${own.adminUrl}/health/ready`)).status).toBe(503)
    expect((await scrape(own)).value('hoplet_draining')).toBe(1)
    await own.close()
    await expect(fetch(`${own.adminUrl}/health/live`)).rejects.toThrow()
  })

  it('leaves the public port as it is: a page that does not exist, and no name', async () => {
    for (const path of ['/metrics', '/metrics/', '/Metrics', '/health/metrics']) {
      const { status, body } = await visit(server.url, path)
      expect([path, status]).toEqual([path, 404])
      expect(body).not.toContain('hoplet_')
    }
  })

  it('says which version runs, and how the process, the pools and the disk are', async () => {
    const metrics = await scrape(server)
    const labels = { version: manifest.version, node: process.versions.node }
    expect(metrics.value('hoplet_build_info', labels)).toBe(1)
    expect(metrics.value('process_cpu_seconds_total')).toBeGreaterThan(0)
    expect(metrics.value('process_resident_memory_bytes')).toBeGreaterThan(0)
    expect(metrics.families.has('nodejs_eventloop_lag_p99_seconds')).toBe(true)
    expect(metrics.value('hoplet_database_pool_size', { pool: 'doors' })).toBe(10)
    expect(metrics.value('hoplet_database_pool_size', { pool: 'visits' })).toBe(4)
    expect(metrics.value('hoplet_database_waiting', { pool: 'doors' })).toBe(0)
    expect(metrics.value('hoplet_database_up')).toBe(1)
    expect(metrics.value('hoplet_data_disk_free_bytes')).toBeGreaterThan(0)
  })

  it('leaves out unreadable metrics, and says so', async () => {
    const own = await startTestServer(withAdminPort)
    cleanups.push(own.close)
    const { database } = own.context
    const { transactionAs } = database
    database.transactionAs = () => Promise.reject(new DatabaseUnavailableError('away'))
    const metrics = await scrape(own)
    database.transactionAs = transactionAs
    expect(metrics.value('hoplet_metrics_part_read', { part: 'mail' })).toBe(0)
    expect(metrics.families.has('hoplet_outbox_emails')).toBe(false)
    for (const part of ['requests', 'visits', 'database', 'services', 'disk', 'build'])
      expect(metrics.value('hoplet_metrics_part_read', { part })).toBe(1)
  })
})

/** Sends these bytes and waits for the end of the answer. */
function raw({ url }: TestServer, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
    socket.on('error', reject).on('close', () => resolve(answer))
  })
}

function strange({ url }: TestServer, path: string, method: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    httpRequest({ hostname, port, path, method, agent: false }, (answer) => {
      answer.resume().on('end', resolve).on('error', reject)
    })
      .on('error', reject)
      .end()
  })
}
