/** @module-tag extended */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { checkReplica } from '#server/doctor/replica.ts'
import { startHoplet, type Hoplet } from '#server/start.ts'
import { loadKeys } from '#server/tokens/keys.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { withReplica } from '#server/postgres/replica.ts'
import { createTestDatabase } from '#test/database.ts'
import { freePort } from '#test/free-port.ts'
import { scrape } from '#test/metrics/scrape.ts'
import { makeUser } from '#test/factories.ts'
import { recordLog } from '#test/record-log.ts'
import { type Pair, startPair } from './pair.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'

let pair: Pair
/** Two servers of one database. */
let here: Awaited<ReturnType<typeof start>>
let there: Awaited<ReturnType<typeof start>>
beforeAll(async () => {
  pair = await startPair()
  here = await start({ ADMIN_PORT: String(await freePort()) })
  there = await start()
  lasting.push(...cleanups.splice(0))
})
afterAll(async () => {
  for (const clean of lasting.toReversed()) await clean()
  await pair.close()
})

const lasting: (() => Promise<unknown>)[] = []
const cleanups: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  await settled(here.server)
  await settled(there.server)
})
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
  await pair.replica.thaw()
  await pair.replica.start()
  await pair.replica.sql('select pg_wal_replay_resume()').catch(() => {})
})

async function start(environment: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-replica-'))
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }))
  const { log, lines, messages } = recordLog()
  const server = await startHoplet(
    createConfig(
      parseVariables({
        PORT: '0',
        DATA_DIR: dataDir,
        RATE_LIMITS: 'off',
        PUBLIC_URL: 'http://hop.example',
        JWT_SIGNING_KEY: key,
        DATABASE_URL: pair.primary.url,
        DATABASE_READ_URL: pair.replica.url,
        ...environment,
      }),
    ),
    log,
  )
  cleanups.push(() => server.stop())
  return { server, lines, messages }
}

const key = JSON.stringify({
  kty: 'EC',
  crv: 'P-256',
  ...(await crypto.subtle
    .generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
    .then(({ privateKey }) => crypto.subtle.exportKey('jwk', privateKey))
    .then(({ x, y, d }) => ({ x, y, d }))),
})

const measuresOf = ({ context }: Hoplet) => context.database.replica?.()
/** How many more reads, or fallbacks, there are than at the call. */
function counting(server: Hoplet) {
  const counts = () => [
    ...(measuresOf(server)?.reads.read() ?? []),
    ...(measuresOf(server)?.fallbacks.read() ?? []),
  ]
  const countOf = (wanted: string) =>
    counts().find(({ words }) => words.join(' ') === wanted)?.count ?? 0
  const before = new Map(counts().map(({ words }) => [words.join(' '), countOf(words.join(' '))]))
  return (wanted: string) => countOf(wanted) - (before.get(wanted) ?? 0)
}

/** Until reads go to the replica and changes are heard of. */
async function settled(server: Hoplet): Promise<void> {
  await expect
    .poll(() => measuresOf(server)?.isUp === true && measuresOf(server)?.lagSeconds === 0)
    .toBe(true)
  await expect.poll(() => server.context.listener.connected()).toBe(true)
  await expect.poll(() => server.context.visits.measures().heartbeat.roundTripMs).toBeDefined()
}

const onReplica = async (code: string) =>
  (
    await pair.replica.sql<{ original_url: string }>(
      'select original_url from app.shortened_urls where short_code = $1',
      [code],
    )
  )[0]?.original_url

/** Links that both servers have. */
async function plantEverywhere(...codes: string[]) {
  const links = codes.map((code) => ({ code, url: `https://example.com/before` }))
  const planted = await plantLinks(pair.primary.sql, links)
  for (const code of codes) await expect.poll(() => onReplica(code)).toBeDefined()
  return planted
}

const change = (code: string) =>
  pair.primary.sql(`update app.shortened_urls set original_url = $2 where short_code = $1`, [
    code,
    'https://example.com/after',
  ])

it('the server reads cold names from the replica, and never an old one while its replay is paused', async () => {
  const { server } = here
  await plantEverywhere('cold', 'kept', 'changed', 'cached')
  await settled(server)
  const more = counting(server)
  const destination = async (code: string) => (await visit(server.url, `/${code}`)).location
  expect(await destination('cold')).toBe('https://example.com/before')
  expect(more('lagging replica')).toBe(1)
  expect(await destination('cached')).toBe('https://example.com/before')

  await pair.replica.sql('select pg_wal_replay_pause()')
  const { changes } = server.context.visits.measures().cache
  await change('changed')
  await change('cached')
  await plantLinks(pair.primary.sql, [{ code: 'fresh', url: 'https://example.com/fresh' }])
  await expect.poll(() => server.context.visits.measures().cache.changes).toBe(changes + 2)
  const before = more('lagging replica')
  for (const code of ['changed', 'cached']) {
    expect(await destination(code)).toBe('https://example.com/after')
    expect(await destination(code)).toBe('https://example.com/after')
  }
  expect(await destination('fresh')).toBe('https://example.com/fresh')
  // Names without a change still come from there, while it is not too far behind.
  expect(await destination('kept')).toBe('https://example.com/before')
  expect(more('lagging replica')).toBeGreaterThan(before)
  // The replica by itself would have told otherwise (control).
  expect(await onReplica('changed')).toBe('https://example.com/before')
  expect(await onReplica('fresh')).toBeUndefined()
})

it('the server discards a read on the replica that began before a change was heard of', async () => {
  const { server } = here
  await plantEverywhere('raced')
  await settled(server)
  await pair.replica.sql('select pg_wal_replay_pause()')
  await pair.replica.freeze()
  const answer = visit(server.url, '/raced')
  const { changes } = server.context.visits.measures().cache
  await change('raced')
  await expect.poll(() => server.context.visits.measures().cache.changes).toBe(changes + 1)
  await pair.replica.thaw()
  expect((await answer).location).toBe('https://example.com/after')
  expect((await visit(server.url, '/raced')).location).toBe('https://example.com/after')
  expect(await onReplica('raced')).toBe('https://example.com/before')
})

it('the server asks the primary after the notifications were interrupted, until the replica has caught up', async () => {
  const { server } = here
  await plantEverywhere('gap-changed')
  await settled(server)
  const { flushes } = server.context.visits.measures().cache
  await pair.replica.sql('select pg_wal_replay_pause()')
  await pair.primary.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'hoplet listener'`)
  await change('gap-changed')
  await expect.poll(() => server.context.visits.measures().cache.flushes).toBeGreaterThan(flushes)
  await expect.poll(() => server.context.listener.connected()).toBe(true)
  expect((await visit(server.url, '/gap-changed')).location).toBe('https://example.com/after')
  expect((await visit(server.url, '/gap-changed')).location).toBe('https://example.com/after')
  expect(await onReplica('gap-changed')).toBe('https://example.com/before')
})

it('the server asks the primary alone while no change can be heard of', async () => {
  const { server } = await start({ DATABASE_LISTEN_URL: 'postgres://nobody@127.0.0.1:1/none' })
  await plantEverywhere('deaf')
  await expect.poll(() => measuresOf(server)?.isUp).toBe(true)
  const more = counting(server)
  await pair.replica.sql('select pg_wal_replay_pause()')
  await change('deaf')
  expect((await visit(server.url, '/deaf')).location).toBe('https://example.com/after')
  expect(more('lagging replica')).toBe(0)
  expect(await onReplica('deaf')).toBe('https://example.com/before')
})

it('a report has the person’s latest writes, at another server too', async () => {
  const { server } = here
  const factory = {
    url: server.url,
    anonKey: server.context.tokens.anonKey,
    sql: pair.primary.sql,
    isPlain: true,
  }
  const person = await makeUser(factory, { plan: 'pro' })
  await settled(there.server)
  const more = counting(there.server)
  const create = async (code: string) => {
    const response = await fetch(`${server.url}/rest/v1/shortened_urls`, {
      method: 'POST',
      headers: {
        ...person.headers,
        'content-type': 'application/json',
        prefer: 'return=representation',
      },
      body: JSON.stringify({
        user_id: person.id,
        original_url: 'https://example.com/',
        short_code: code,
      }),
    })
    expect(response.status).toBe(201)
    const [row] = (await response.json()) as { id: string }[]
    // As its first hit would: a link without one is not counted.
    await pair.primary.sql('select app.click_scopes_of(array[$1::uuid])', [row?.id])
    return row?.id
  }
  const report = async (id: string | undefined) => {
    const response = await fetch(`${there.server.url}/rest/v1/rpc/click_integrity`, {
      method: 'POST',
      headers: { ...person.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ _scope: 'link', _id: id }),
    })
    return response.status
  }
  expect(await report(await create('report-one'))).toBe(200)
  expect(more('caught-up replica')).toBe(1)

  await pair.replica.sql('select pg_wal_replay_pause()')
  const id = await create('report-two')
  expect(await report(id)).toBe(200)
  expect(more('caught-up primary')).toBe(1)
  expect(more('behind')).toBe(1)
  // The replica has no such link yet (control).
  expect(await onReplica('report-two')).toBeUndefined()

  // A session that ended on the primary has ended, though the replica does not know.
  await pair.primary.sql('delete from auth.sessions where user_id = $1', [person.id])
  expect(await report(id)).toBe(401)
  expect(
    await pair.replica.sql('select from auth.sessions where user_id = $1', [person.id]),
  ).not.toEqual([])
})

it('the server goes on without the replica when it dies or hangs, says so once, and comes back', async () => {
  const { server, messages } = here
  await plantEverywhere('without-1', 'without-2', 'without-3', 'without-4')
  await settled(server)
  const said = () => messages().filter((each) => each.includes('replica is not used')).length
  const earlier = said()
  await pair.replica.kill()
  expect((await visit(server.url, '/without-1')).status).toBe(302)
  expect((await visit(server.url, '/without-2')).status).toBe(302)
  await expect.poll(() => measuresOf(server)?.isUp).toBe(false)
  expect(said() - earlier).toBe(1)
  await pair.replica.start()
  await settled(server)
  expect(messages()).toContain('the read replica is used again')

  await pair.replica.freeze()
  expect((await visit(server.url, '/without-3')).status).toBe(302)
  expect((await visit(server.url, '/without-4')).status).toBe(302)
  await expect.poll(() => measuresOf(server)?.isUp).toBe(false)
  expect(said() - earlier).toBe(2)
  await pair.replica.thaw()
  await settled(server)
})

it('the server asks the primary when replay cancels a read', async () => {
  const { server } = here
  const more = counting(server)
  await pair.primary.sql(
    'create table if not exists app.conflict (); grant select on app.conflict to hoplet_visits',
  )
  await settled(server)
  const { database } = server.context
  const caller = { role: 'hoplet_visits', readOnly: true, replica: 'caught-up' } as const
  const ranOn: boolean[] = []
  await database.transactionAs(caller, async (db) => {
    const { rows } = await db.query<{ replica: boolean }>('select pg_is_in_recovery() as replica')
    ranOn.push(rows[0]?.replica === true)
    if (ranOn.length > 1) return
    await db.query('select from app.conflict')
    await pair.primary.sql('truncate app.conflict')
    await db.query('select pg_sleep(4)')
  })
  expect(ranOn).toEqual([true, false])
  expect(more('conflict')).toBe(1)
})

it('the server refuses a read URL of another database, and starts when the replica is down', async () => {
  const other = await createTestDatabase()
  cleanups.push(() => other.drop())
  await expect(start({ DATABASE_READ_URL: other.url })).rejects.toThrow(
    /DATABASE_READ_URL: must name/,
  )
  const sameName = new URL(other.url)
  sameName.pathname = '/hoplet'
  await expect(start({ DATABASE_READ_URL: sameName.href })).rejects.toThrow(
    /DATABASE_READ_URL: leads to a server that is no replica/,
  )
  const wrongName = new URL(pair.replica.url)
  wrongName.pathname = '/postgres'
  await expect(start({ DATABASE_READ_URL: wrongName.href })).rejects.toThrow(/DATABASE_READ_URL/)
  await pair.replica.kill()
  const { server, messages } = await start()
  expect(messages().join()).toContain('DATABASE_READ_URL does not answer')
  await plantLinks(pair.primary.sql, [{ code: 'no-replica', url: 'https://example.com/' }])
  expect((await visit(server.url, '/no-replica')).status).toBe(302)
})

it('the server uses a read URL that leads to the primary', async () => {
  const { server } = await start({ DATABASE_READ_URL: pair.primary.url })
  await expect.poll(() => measuresOf(server)?.isUp).toBe(true)
  const more = counting(server)
  const caller = { role: 'hoplet_visits', readOnly: true, replica: 'caught-up' } as const
  await server.context.database.transactionAs(caller, (db) => db.query('select'))
  expect(more('caught-up replica')).toBe(1)
})

it('the server is not used while it is more than 5 s behind', async () => {
  const clock = { aheadMs: 0 }
  const { log, messages } = recordLog()
  const database = withReplica({
    primary: openDatabase(pair.primary.url, log),
    replica: openDatabase(pair.replica.url, log),
    log,
    maxReportsOnPrimary: 1,
    now: () => performance.now() + clock.aheadMs,
  })
  cleanups.push(() => database.close())
  const isUp = () => database.replica?.().isUp
  await expect.poll(isUp).toBe(true)
  await pair.replica.sql('select pg_wal_replay_pause()')
  await plantLinks(pair.primary.sql, [{ code: 'behind', url: 'https://example.com/' }])
  const caller = { role: 'hoplet_visits', readOnly: true, replica: 'lagging' } as const
  const isFromReplica = () =>
    database.transactionAs(caller, async (db) => {
      await db.query('select')
      return db.asOf !== undefined
    })
  expect(await isFromReplica()).toBe(true)
  clock.aheadMs = 6_000
  expect(await isFromReplica()).toBe(false)
  await expect.poll(() => database.replica?.().lagSeconds).toBeGreaterThan(5)
  expect(isUp()).toBe(false)
  expect(messages().filter((each) => each.includes('is not used'))).toHaveLength(1)
  await pair.replica.sql('select pg_wal_replay_resume()')
  await expect.poll(isUp).toBe(true)
})

it('the server shows in the metrics', async () => {
  const { adminUrl } = here.server
  const { value } = await scrape({ adminUrl: adminUrl ?? '' })
  expect(value('hoplet_database_replica_up')).toBe(1)
  expect(value('hoplet_database_replica_lag_seconds')).toBe(0)
  expect(value('hoplet_database_pool_size', { pool: 'replica_doors' })).toBe(10)
  const read = { freshness: 'lagging', target: 'replica' }
  const before = value('hoplet_database_reads_total', read)
  await plantEverywhere('metered')
  await settled(here.server)
  await visit(here.server.url, '/metered')
  const after = await scrape({ adminUrl: adminUrl ?? '' })
  expect(after.value('hoplet_database_reads_total', read)).toBe(before + 1)
  expect(after.value('hoplet_database_replica_fallbacks_total', { reason: 'conflict' })).toBe(1)
})

it('the server is examined by the doctor', async () => {
  const { context } = here.server
  const keys = await loadKeys(context.config.dataDir, context.config.signingKey)
  const find = (changes: object) =>
    checkReplica({ ...context, keys, config: { ...context.config, ...changes } })
  expect(await find({})).toEqual([
    { level: 'ok', text: expect.stringMatching(/^The replica had all changes within \d+ ms/) },
  ])
  const wrong = new URL(pair.replica.url)
  wrong.pathname = '/postgres'
  expect(await find({ databaseReadUrl: wrong.href })).toEqual([
    { level: 'problem', text: expect.stringContaining('must name the database hoplet') },
  ])
  await pair.replica.kill()
  expect(await find({})).toEqual([
    { level: 'warning', text: expect.stringMatching(/^The replica does not answer/) },
  ])
})

// The last one: there is no replica afterwards.
it('the server does not use a server that became a separate primary, and refuses to start with it', async () => {
  const { server, lines } = here
  await plantEverywhere('split')
  await pair.replica.sql('select pg_promote()')
  await pair.replica.sql(`update app.shortened_urls set original_url = 'https://example.com/other'
    where short_code = 'split'`)
  await expect.poll(() => measuresOf(server)?.isUp).toBe(false)
  expect((await visit(server.url, '/split')).location).toBe('https://example.com/before')
  expect(JSON.stringify(lines)).toContain('it is a different primary than DATABASE_URL')
  await expect(start()).rejects.toThrow(/DATABASE_READ_URL: leads to a primary of its own/)
})
