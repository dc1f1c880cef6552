import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createConfig, withAddresses } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createBreaker } from '#server/primitives/breaker.ts'
import { createHosts } from '#server/http/hosts.ts'
import { createRateLimits } from '#server/primitives/token-bucket.ts'
import { createLog, type Logger } from '#server/log.ts'
import {
  type Database,
  DatabaseUnavailableError,
  openDatabase,
  type Transaction,
} from '#server/postgres/database.ts'
import type { Listener } from '#server/postgres/listen.ts'
import { connectHere } from '#server/visits/counting/counting-here.ts'
import { startCounting } from '#server/visits/counting/counting.ts'
import { createLookups } from '#server/visits/names/lookups.ts'
import { createNameCache } from '#server/visits/names/name-cache.ts'
import { createVisits } from '#server/visits/visits.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { plainVisitor } from './hits.ts'
import { countOf, plantLinks, type Planted } from './plant.ts'
import { visit } from './visit.ts'

const log = createLog('silent')
let store: TestDatabase
let links: Planted[]
beforeAll(async () => {
  store = await createTestDatabase()
  links = await plantLinks(
    store.sql,
    Array.from({ length: 20 }, (_, i) => ({
      code: `resolve-${i}`,
      url: `https://example.com/${i}`,
    })),
  )
})
afterAll(() => store.drop())

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** The visits alone, with a clock, a listener and a database that the test controls. */
async function openDoor(
  options: { rateLimits?: boolean; lookupTimeoutMs?: number; log?: Logger } = {},
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-resolve-'))
  // The heartbeat sends a notification. Here it goes directly to the listener, or nowhere.
  const heartbeat = async <T>(work: (db: Transaction) => Promise<T>): Promise<T> => {
    const query: Transaction['query'] = async (_text, values) => {
      if (mood.hears) for (const onMessage of messages) onMessage(String(values?.[0]))
      return { rows: [], rowCount: 0, command: 'SELECT', oid: 0, fields: [] }
    }
    return work({ query })
  }
  const real = openDatabase(store.url, log)
  const mood = {
    down: false,
    delay: 0,
    queries: 0,
    time: 0,
    hears: true,
    losesAnswers: false,
    gate: Promise.resolve(),
  }
  const database: Database = {
    ...real,
    async transactionAs(caller, work) {
      const isLookUp = caller.hasGenericPlan === true
      if (isLookUp) mood.queries++
      await new Promise((resolve) => setTimeout(resolve, mood.delay))
      if (isLookUp) await mood.gate
      if (mood.down) throw new DatabaseUnavailableError('down')
      if (caller.statementTimeout === 2_000) return heartbeat(work)
      const result = await real.transactionAs(caller, work)
      // Of a direct write, not of the reading before it.
      if (mood.losesAnswers && caller.statementTimeout === 1_000)
        throw new DatabaseUnavailableError('lost')
      return result
    },
  }
  const gaps: (() => void)[] = []
  const messages: ((payload: string) => void)[] = []
  // Receives its own heartbeat if `mood.hears`, and no notification of the database.
  const listener: Listener = {
    on: (_channel, onMessage, onGap) => (messages.push(onMessage), gaps.push(onGap)),
    connected: () => true,
    close: async () => {},
  }
  const passwords = {
    hash: async () => '',
    check: async () => undefined,
    proofOf: () => '',
    isProof: () => false,
  }
  const settings = createConfig(parseVariables({ DATA_DIR: dataDir }))
  const config = withAddresses({ ...settings, databaseUrl: '' }, 'http://127.0.0.1:3000')
  const now = () => mood.time
  const { lookupTimeoutMs = config.visits.lookupTimeoutMs } = options
  const visits = createVisits({
    config: {
      ...config,
      visits: { ...config.visits, lookupTimeoutMs },
    },
    hosts: createHosts({ config, log }),
    database,
    listener,
    rateLimits: createRateLimits(options.rateLimits === true, now),
    log: options.log ?? log,
    identify: () => plainVisitor,
    sharesOf: () => () => 0,
    passwords,
    counting: connectHere(startCounting({ config, database, log, keyId: 'key' })),
    now,
  })
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    if (!visits.handle(request, response)) response.writeHead(418).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  cleanups.push(async () => {
    mood.down = false
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await visits.close()
    await real.close()
    await rm(dataDir, { recursive: true })
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  gaps.forEach((each) => each())
  return {
    url,
    mood,
    visits,
    dataDir,
    gap: () => gaps.forEach((each) => each()),
    /** Sends the notification that this name changed, later than all reads so far. */
    changed(name: string) {
      mood.time += 1
      messages.forEach((each) => each(name))
      mood.time += 1
    },
  }
}

/** Blocks every look-up until released, as a long migration would. */
async function holdUp(): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: store.superuserUrl })
  await client.connect()
  await client.query('begin; lock table app.shortened_urls in access exclusive mode')
  let isHeld = true
  const release = async () => {
    if (!isHeld) return
    isHeld = false
    await client.end()
  }
  cleanups.push(release)
  return { release }
}

const linkAt = (i: number): Planted => links[i] ?? { id: '', code: '', url: '' }

describe('the cache', () => {
  it(
    'asks the database once for 2,000 simultaneous first visits',
    { tags: ['extended'] },
    async () => {
      const { url, mood } = await openDoor()
      mood.delay = 400
      const agent = new Agent({ keepAlive: true, maxSockets: 2_000 })
      const answers = await Promise.all(
        Array.from({ length: 2_000 }, () => visit(url, `/${linkAt(0).code}`, { agent })),
      )
      agent.destroy()
      expect(new Set(answers.map(({ location }) => location))).toEqual(new Set([linkAt(0).url]))
      expect(mood.queries).toBe(1)
      // The control: another name needs another query.
      await visit(url, `/${linkAt(1).code}`)
      expect(mood.queries).toBe(2)
    },
  )

  it('reads many names that are requested together in few queries', async () => {
    const { url, mood } = await openDoor()
    mood.delay = 300
    await Promise.all(links.map(({ code }) => visit(url, `/${code}`)))
    expect(mood.queries).toBeLessThanOrEqual(4)
  })

  it(
    'waits for a slow database instead of answering 503, for 1,000 visits of 20 names',
    { tags: ['extended'] },
    async () => {
      const { url, mood } = await openDoor()
      mood.delay = 1_500
      const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, (_, i) => visit(url, `/${linkAt(i % 20).code}`, { agent })),
      )
      agent.destroy()
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([302]))
    },
  )

  it('responds 503 at once while 2,000 names are waiting, and serves those', async () => {
    const { url, mood } = await openDoor({ lookupTimeoutMs: 60_000 })
    let release = () => {}
    mood.gate = new Promise((resolve) => (release = resolve))
    const agent = new Agent({ keepAlive: true, maxSockets: 2_100 })
    let refused = 0
    const answers = Array.from({ length: 2_100 }, async (_, i) => {
      const { status } = await visit(url, `/crowd-${i}`, { agent })
      if (status === 503 && ++refused === 100) release()
      return status
    })
    const statuses = await Promise.all(answers)
    agent.destroy()
    expect(statuses.filter((status) => status === 302)).toHaveLength(2_000)
    expect(refused).toBe(100)
  })

  it('expires entries when notifications stop arriving', { tags: ['extended'] }, async () => {
    const { url, mood } = await openDoor()
    const { id, code, url: before } = linkAt(2)
    expect((await visit(url, `/${code}`)).location).toBe(before)
    await store.sql(
      `update app.shortened_urls set original_url = 'https://example.net/new' where id = $1`,
      [id],
    )
    mood.time += 10_000
    // The control: no notification came, and the last heartbeat still counts.
    expect((await visit(url, `/${code}`)).location).toBe(before)
    mood.time += 5_000
    expect((await visit(url, `/${code}`)).location).toBe('https://example.net/new')
  })

  it('reads busy entries again before they are too old', async () => {
    const { url, mood } = await openDoor()
    mood.time += 20_000
    await visit(url, `/${linkAt(3).code}`)
    mood.time += 4_000
    mood.delay = 200
    await visit(url, `/${linkAt(3).code}`)
    await expect.poll(() => mood.queries).toBe(2)
  })

  it('reads every entry again after a gap in the notifications', async () => {
    const { url, mood, gap } = await openDoor()
    const { id, code, url: before } = linkAt(4)
    expect((await visit(url, `/${code}`)).location).toBe(before)
    await store.sql(
      `update app.shortened_urls set original_url = 'https://example.net/gap' where id = $1`,
      [id],
    )
    mood.time += 1
    gap()
    expect((await visit(url, `/${code}`)).location).toBe('https://example.net/gap')
  })

  it('forgets that a name was missing after five seconds', async () => {
    const { url, mood } = await openDoor()
    for (const [wait, queries] of [
      [0, 1],
      [4_000, 1],
      [2_000, 2],
    ] as const) {
      mood.time += wait
      expect((await visit(url, '/missing-name')).location).toBe('/404')
      expect(mood.queries).toBe(queries)
    }
  })
})

describe('a link that the database cannot read', () => {
  it('fails alone, and leaves the breaker closed', async () => {
    const { url, mood, visits } = await openDoor()
    const [bad, ...others] = links.map(({ code }) => code)
    // Before the CHECK of the database such a row was possible.
    const check = 'alter table app.shortened_urls drop constraint shortened_urls_ends_at_check'
    await store.sql(check)
    await store.sql(`update app.shortened_urls set ends_at = 'infinity' where short_code = $1`, [
      bad,
    ])
    mood.delay = 50
    const answers = await Promise.all(links.map(({ code }) => visit(url, `/${code}`)))
    expect(answers.map(({ status }) => status)).toEqual([503, ...others.map(() => 302)])
    for (let i = 0; i < 5; i++) expect((await visit(url, `/${bad}`)).status).toBe(503)
    expect(visits.status().databaseDown).toBe(false)
    const { queries } = mood
    // The control: the others are in memory, and the name that is mended redirects.
    await store.sql('update app.shortened_urls set ends_at = null where short_code = $1', [bad])
    expect((await visit(url, `/${bad}`)).status).toBe(302)
    expect(mood.queries).toBeGreaterThan(queries)
    for (const code of others) expect((await visit(url, `/${code}`)).status).toBe(302)
  })

  it('asks a bounded number of queries when no name can be read', async () => {
    let queries = 0
    let failures = 0
    const lookups = createLookups({
      cache: createNameCache({
        listener: { on: () => {}, connected: () => true, close: async () => {} },
        receivesNotifications: () => true,
        maxBytes: 1_000,
        now: () => 0,
      }),
      readEntries: async () => {
        queries++
        throw new Error('no such number')
      },
      breaker: { ...createBreaker({ maxFailures: 3, retryMs: 1 }), failed: () => failures++ },
      log,
      lookupTimeoutMs: 60_000,
      now: () => 0,
    })
    const names = Array.from({ length: 500 }, (_, i) => `unread-${i}`)
    const entries = await Promise.all(names.map((name) => lookups.start(name)))
    expect(entries.filter((entry) => entry !== undefined)).toEqual([])
    expect([queries, failures, lookups.size()]).toEqual([81, 0, 0])
  })
})

describe('a query that takes too long', () => {
  const slow = () => Object.assign(new Error('canceling statement'), { code: '57014' })
  const names = Array.from({ length: 500 }, (_, i) => `name-${i}`)

  /** `isHeavy`: a query with this name takes all of its time. */
  async function lookUp(isHeavy: (name: string) => boolean, error: () => Error = slow) {
    let time = 0
    const asked: { count: number; isHurried: boolean }[] = []
    const breaker = { failed: 0, succeeded: 0 }
    const lookups = createLookups({
      cache: createNameCache({
        listener: { on: () => {}, connected: () => true, close: async () => {} },
        receivesNotifications: () => true,
        maxBytes: 1_000_000,
        now: () => time,
      }),
      readEntries: async (some, isHurried) => {
        asked.push({ count: some.length, isHurried })
        if (!some.some(isHeavy)) return new Map()
        time += isHurried ? 250 : 4_000
        throw error()
      },
      breaker: {
        ...createBreaker({ maxFailures: 3, retryMs: 1 }),
        failed: () => breaker.failed++,
        succeeded: () => breaker.succeeded++,
      },
      log,
      lookupTimeoutMs: 5_000,
      now: () => time,
    })
    const entries = await Promise.all(names.map((name) => lookups.start(name)))
    const unanswered = names.filter((_, i) => entries[i] === undefined)
    return { asked, breaker, unanswered, time, size: lookups.size() }
  }

  it('because of one name leaves few others without an answer', async () => {
    for (const heavy of ['name-0', 'name-250', 'name-499']) {
      const { unanswered, asked, breaker, time, size } = await lookUp((name) => name === heavy)
      expect(unanswered).toContain(heavy)
      expect(unanswered.length).toBeLessThanOrEqual(63)
      expect(asked[0]).toEqual({ count: 500, isHurried: false })
      expect(asked.slice(1).every(({ isHurried }) => isHurried)).toBe(true)
      expect([breaker.failed, breaker.succeeded > 0, size]).toEqual([1, true, 0])
      expect(time).toBeLessThanOrEqual(5_000)
    }
  })

  it.each(['57014', '55P03', '40P01', '40001'])(
    'because the database is slow (%s) ends at one deadline, and is one failure',
    async (code) => {
      const { unanswered, asked, breaker, time, size } = await lookUp(
        () => true,
        () => Object.assign(slow(), { code }),
      )
      expect(unanswered).toEqual(names)
      expect(asked.length).toBeLessThanOrEqual(5)
      expect([breaker.failed, breaker.succeeded, size]).toEqual([1, 0, 0])
      expect(time).toBe(5_000)
    },
  )

  it('is one failure when the database does not answer', async () => {
    const { unanswered, asked, breaker } = await lookUp(
      () => true,
      () => new DatabaseUnavailableError('down'),
    )
    expect([unanswered.length, asked.length, breaker.failed]).toEqual([500, 1, 1])
  })

  it('in the database reads the others again, in little time', async () => {
    const { url, visits } = await openDoor({ lookupTimeoutMs: 20_000 })
    const { code } = linkAt(0)
    const body = `create or replace function app.block_of(name text, owner uuid, url text) returns text
      language plpgsql stable security definer set search_path = '' as $$ begin
        if name = '${code}' then perform pg_catalog.pg_sleep(60); end if; return null; end $$`
    const [before] = await store.sql<{ text: string }>(
      `select pg_get_functiondef('app.block_of'::regproc) as text`,
    )
    await store.sql(body)
    try {
      const answers = await Promise.all(links.map((link) => visit(url, `/${link.code}`)))
      expect(answers.map(({ status }) => status)).toEqual([503, ...links.slice(1).map(() => 302)])
      expect(visits.status().databaseDown).toBe(false)
    } finally {
      await store.sql(before?.text ?? '')
    }
  })
})

describe('without a database', () => {
  it('known codes redirect regardless of their age, and unknown ones get 503, not 404', async () => {
    const { url, mood, visits } = await openDoor()
    for (let i = 0; i < 10; i++) await visit(url, `/${linkAt(i).code}`)
    mood.down = true
    for (let round = 0; round < 10; round++) {
      mood.time += 40_000
      for (let i = 0; i < 10; i++) expect((await visit(url, `/${linkAt(i).code}`)).status).toBe(302)
      const unknown = await visit(url, `/${linkAt(10).code}`)
      expect([unknown.status, unknown.header('retry-after')]).toEqual([503, '2'])
    }
    expect(visits.status().databaseDown).toBe(true)
    mood.down = false
    mood.time += 2_000
    await vi.waitFor(async () => {
      mood.time += 1_000
      expect((await visit(url, `/${linkAt(10).code}`)).status).toBe(302)
    })
  })

  it('stops sending queries to one that hangs', async () => {
    const { url, mood } = await openDoor({ lookupTimeoutMs: 800 })
    await visit(url, `/${linkAt(0).code}`)
    mood.delay = 3_000
    // Two batches run, and one waits. Each is one failure.
    const unknown = [11, 12, 13, 14].map(async (i) => {
      await new Promise((resolve) => setTimeout(resolve, (i - 11) * 50))
      return visit(url, `/${linkAt(i).code}`)
    })
    const statuses = (await Promise.all(unknown)).map(({ status }) => status)
    expect(statuses).toEqual([503, 503, 503, 503])
    const before = mood.queries
    for (let i = 0; i < 50; i++) expect((await visit(url, `/not-asked-${i}`)).status).toBe(503)
    expect(mood.queries).toBe(before)
    expect((await visit(url, `/${linkAt(0).code}`)).status).toBe(302)
    mood.delay = 0
  })
})

describe('a change while the database is slow or down', () => {
  const newUrl = (i: number, to: string) =>
    store.sql('update app.shortened_urls set original_url = $2 where id = $1', [linkAt(i).id, to])

  it('is waited for briefly; then the old entry is used until the new one is read', async () => {
    const { url, mood, changed } = await openDoor()
    const { code, url: before } = linkAt(5)
    await visit(url, `/${code}`)
    await newUrl(5, 'https://example.net/slow')
    const locked = await holdUp()
    changed(code)
    const started = performance.now()
    const answers = await Promise.all(Array.from({ length: 50 }, () => visit(url, `/${code}`)))
    expect(new Set(answers.map(({ status, location }) => `${status} ${location}`))).toEqual(
      new Set([`302 ${before}`]),
    )
    expect(mood.queries).toBe(2)
    // The control: the query was sent and waited for, and later visitors do not wait.
    expect(performance.now() - started).toBeGreaterThan(500)
    expect((await visit(url, `/${code}`)).location).toBe(before)
    expect(mood.queries).toBe(2)
    await locked.release()
    await vi.waitFor(async () =>
      expect((await visit(url, `/${code}`)).location).toBe('https://example.net/slow'),
    )
  })

  it('a name that is not in memory gets 503 from the same database (control)', async () => {
    const { url } = await openDoor({ lookupTimeoutMs: 800 })
    const locked = await holdUp()
    expect((await visit(url, `/${linkAt(6).code}`)).status).toBe(503)
    await locked.release()
  })

  it('never replaces an entry with an older one', async () => {
    const { url, mood, changed } = await openDoor()
    const { code } = linkAt(7)
    await visit(url, `/${code}`)
    await newUrl(7, 'https://example.net/second')
    changed(code)
    mood.delay = 200
    const during = visit(url, `/${code}`)
    await expect.poll(() => mood.queries).toBe(2)
    // A second change during the read: the result may be outdated, but is newer than the entry in memory.
    changed(code)
    expect((await during).location).toBe('https://example.net/second')
    mood.down = true
    mood.delay = 0
    for (let i = 0; i < 10; i++)
      expect((await visit(url, `/${code}`)).location).toBe('https://example.net/second')
  })

  it('a deleted link is gone after the reload, and stays gone when the database is down', async () => {
    const { url, mood, changed } = await openDoor()
    const { id, code } = linkAt(8)
    await visit(url, `/${code}`)
    await store.sql('delete from app.shortened_urls where id = $1', [id])
    changed(code)
    expect((await visit(url, `/${code}`)).location).toBe('/404')
    mood.down = true
    changed(code)
    for (let i = 0; i < 5; i++) expect((await visit(url, `/${code}`)).status).toBe(503)
  })

  it('while the breaker is open no visitor waits, and the change shows when the database is back', async () => {
    const { url, mood, visits, changed } = await openDoor()
    const { code, url: before } = linkAt(9)
    await visit(url, `/${code}`)
    mood.down = true
    for (let i = 0; i < 3; i++) await visit(url, `/unknown-${i}`)
    expect(visits.status().databaseDown).toBe(true)
    await newUrl(9, 'https://example.net/back')
    changed(code)
    const { queries } = mood
    expect((await visit(url, `/${code}`)).location).toBe(before)
    expect(mood.queries).toBe(queries)
    mood.down = false
    await vi.waitFor(
      async () => {
        mood.time += 1_001
        expect((await visit(url, `/${code}`)).location).toBe('https://example.net/back')
      },
      { interval: 100 },
    )
  })
})

describe('without a journal', () => {
  it('visitors wait for the database, and the journal comes back', async () => {
    const { url, visits, dataDir } = await openDoor()
    const { id, code } = linkAt(15)
    const before = await countOf(store.sql, id)
    await rm(join(dataDir, 'journal'), { recursive: true })
    for (let i = 0; i < 5; i++) expect((await visit(url, `/${code}`)).status).toBe(302)
    expect(await countOf(store.sql, id)).toBe(before + 5)
    expect(visits.status().clicks).toMatchObject({ degraded: true, lost: 0, applied: 5 })

    await mkdir(join(dataDir, 'journal'))
    await vi.waitFor(
      async () => {
        expect((await visit(url, `/${code}`)).status).toBe(302)
        expect(visits.status().clicks.degraded).toBe(false)
      },
      { timeout: 240_000, interval: 200 },
    )
  })

  it('and without a database visitors are still redirected, and counted once when it is back', async () => {
    const { url, visits, mood, dataDir } = await openDoor()
    const { id, code } = linkAt(16)
    // A HEAD request loads the entry. Its record is the last that the database accepts.
    await rm(join(dataDir, 'journal'), { recursive: true })
    await visit(url, `/${code}`, { method: 'HEAD' })
    const before = await countOf(store.sql, id)
    mood.down = true
    for (let i = 0; i < 5; i++) expect((await visit(url, `/${code}`)).status).toBe(302)
    expect(visits.status().clicks).toMatchObject({ degraded: true, lost: 0 })
    expect(await countOf(store.sql, id)).toBe(before)
    mood.down = false
    await vi.waitFor(
      async () => {
        mood.time += 1_001
        expect(await countOf(store.sql, id)).toBe(before + 5)
      },
      { timeout: 240_000, interval: 200 },
    )
    await expect.poll(() => visits.status().clicks).toMatchObject({ lost: 0, applied: 5 })
  })

  it('counts a batch once if the response to its commit was lost', async () => {
    const { url, mood, dataDir } = await openDoor()
    const { id, code } = linkAt(17)
    await rm(join(dataDir, 'journal'), { recursive: true })
    await visit(url, `/${code}`, { method: 'HEAD' })
    const before = await countOf(store.sql, id)
    mood.losesAnswers = true
    await visit(url, `/${code}`)
    mood.losesAnswers = false
    expect(await countOf(store.sql, id)).toBe(before + 1)
    await visit(url, `/${code}`)
    expect(await countOf(store.sql, id)).toBe(before + 2)
  })
})

describe('an address that tries codes', () => {
  const from = (visitor: string) => ({ headers: { 'x-forwarded-for': visitor } })

  it('is blocked after 30 misses, also for existing codes that are not in memory, until a pause has passed', async () => {
    const { url, mood } = await openDoor({ rateLimits: true })
    for (let i = 0; i < 30; i++) expect((await visit(url, `/guess-${i}`)).location).toBe('/404')
    const { queries } = mood
    const stopped = await visit(url, '/guess-30')
    expect([stopped.status, stopped.header('retry-after')]).toEqual([429, '2'])
    // An existing code and a missing one get the same response, without a look-up.
    expect((await visit(url, `/${linkAt(0).code}`)).status).toBe(429)
    expect((await visit(url, '/guess-31')).status).toBe(429)
    expect(mood.queries).toBe(queries + 1)
    mood.time += 2_001
    expect((await visit(url, `/${linkAt(0).code}`)).status).toBe(302)
  })

  it('does not block recently visited links for other people behind its address', async () => {
    const { url, changed } = await openDoor({ rateLimits: true })
    for (let i = 0; i < 2; i++) await visit(url, `/${linkAt(i).code}`)
    for (let i = 0; i < 31; i++) await visit(url, `/guess-${i}`)
    expect((await visit(url, '/guess-31')).status).toBe(429)
    for (let i = 0; i < 60; i++)
      expect((await visit(url, `/${linkAt(i % 2).code}`)).status).toBe(302)
    // Also if the entry has to be read again.
    changed(linkAt(1).code)
    expect((await visit(url, `/${linkAt(1).code}`)).status).toBe(302)
  })

  it('behind a proxy that is not in the settings is blocked without other visitors', async () => {
    const { url } = await openDoor({ rateLimits: true })
    for (let i = 0; i < 31; i++) await visit(url, `/guess-${i}`, from('203.0.113.7'))
    expect((await visit(url, `/${linkAt(3).code}`, from('203.0.113.7'))).status).toBe(429)
    // A header that the visitor sends ends up to the left of the address that the proxy appends.
    expect((await visit(url, `/${linkAt(3).code}`, from('198.51.100.1, 203.0.113.7'))).status).toBe(
      429,
    )
    expect((await visit(url, `/${linkAt(3).code}`, from('203.0.113.8'))).status).toBe(302)
  })

  it('that forges forwarded addresses is blocked after 300 misses', async () => {
    const { url } = await openDoor({ rateLimits: true })
    const statuses: number[] = []
    for (let i = 0; i < 320; i++)
      statuses.push((await visit(url, `/guess-${i}`, from(`198.51.${i >> 8}.${i & 255}`))).status)
    expect(statuses.filter((status) => status === 302)).toHaveLength(300)
  })

  it('may open existing links without a limit', async () => {
    const { url } = await openDoor({ rateLimits: true })
    for (let i = 0; i < 100; i++) expect((await visit(url, `/${linkAt(0).code}`)).status).toBe(302)
  })
})
