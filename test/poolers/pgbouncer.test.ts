/** @module-tag extended */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { checkNotifications } from '#server/doctor/notifications.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { type Hoplet, startHoplet } from '#server/start.ts'
import { createTestDatabase } from '#test/database.ts'
import { recordLog } from '#test/record-log.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { hasPgBouncer, startPgBouncer } from './pgbouncer.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

async function setUp(mode: 'transaction' | 'statement') {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-pooler-'))
  cleanups.push(
    () => database.drop(),
    () => rm(dataDir, { recursive: true, force: true }),
  )
  const pooler = await startPgBouncer(database.url, mode)
  cleanups.push(() => pooler.close())
  const { log, messages } = recordLog()
  return {
    ...database,
    /** One connection to the pooler. */
    open() {
      const opened = openDatabase(pooler.url, log, { doors: 1, visits: 1 })
      cleanups.push(() => opened.close())
      return opened
    },
    messages,
    start: (environment: Record<string, string>) =>
      startHoplet(
        createConfig(
          parseVariables({
            PORT: '0',
            DATA_DIR: dataDir,
            DATABASE_URL: pooler.url,
            ...environment,
          }),
        ),
        log,
      ),
  }
}

it.skipIf(!hasPgBouncer)(
  'the server works through a pooler in transaction mode, and hears of changes at DATABASE_LISTEN_URL',
  async () => {
    const { sql, url, start } = await setUp('transaction')
    const server = await start({ DATABASE_LISTEN_URL: url })
    cleanups.push(() => server.stop())
    const [link] = await plantLinks(sql, [{ code: 'pooled', url: 'https://example.com/before' }])
    expect((await visit(server.url, '/pooled')).location).toBe('https://example.com/before')
    const { visits, listener } = server.context
    await expect.poll(() => listener.connected()).toBe(true)
    const changes = visits.measures().cache.changes
    await sql(
      `update app.shortened_urls set original_url = 'https://example.com/after' where id = $1`,
      [link?.id],
    )
    await expect.poll(() => visits.measures().cache.changes).toBeGreaterThan(changes)
    expect((await visit(server.url, '/pooled')).location).toBe('https://example.com/after')
    // Through the pooler alone, the same change is not heard of (control).
    const deaf = await setUp('transaction')
    const other = await deaf.start({})
    cleanups.push(() => other.stop())
    await expect.poll(() => other.context.visits.measures().heartbeat.roundTripMs).toBeDefined()
    const before = other.context.visits.measures().cache
    await plantLinks(deaf.sql, [{ code: 'pooled', url: 'https://example.com/before' }])
    await deaf.sql(`update app.shortened_urls set original_url = 'https://example.com/after'`)
    await other.context.database.transactionAs({ role: 'hoplet_visits' }, (db) =>
      db.query('select 1'),
    )
    expect(other.context.visits.measures().cache.changes).toBe(before.changes)
    // The metric and the doctor say so, although LISTEN itself succeeds.
    expect(server.context.visits.measures().isListening).toBe(true)
    await expect.poll(() => other.context.listener.connected()).toBe(true)
    expect(other.context.visits.measures().isListening).toBe(false)
    const heard = ({ context }: Hoplet) => checkNotifications(context)
    expect((await heard(server)).level).toBe('ok')
    expect((await heard(other)).text).toMatch(/do not arrive at DATABASE_URL/)
  },
)

it.skipIf(!hasPgBouncer)(
  'a read that another connection of the pooler refuses runs again, and statements are not prepared any more',
  async () => {
    const { open, messages } = await setUp('transaction')
    const [reading, other] = [open(), open()]
    const refusals = () =>
      messages().filter((text) => text.startsWith('prepared statements are off'))
    const caller = { role: 'hoplet_visits', readOnly: true, isOneQuery: true } as const
    const read = async (name: string) => {
      const { rows } = await reading.transactionAs(caller, ({ query }) =>
        query<{ name: string }>('select unnest($1::text[]) as name', [[name]]),
      )
      return rows[0]?.name
    }
    await other.transactionAs({ role: 'hoplet_visits' }, async ({ query }) => {
      await query('select 1')
      // On a second connection of the pooler, which then has the statement.
      for (let i = 0; i < 8; i++) expect(await read(`name-${i}`)).toBe(`name-${i}`)
    })
    expect(refusals()).toEqual([])
    // The pooler takes the connection that was given back last, which has not.
    for (const name of ['next', 'last']) expect(await read(name)).toBe(name)
    expect(refusals()).toHaveLength(1)
  },
)

it.skipIf(!hasPgBouncer)(
  'the server says that a pooler in statement mode cannot be used',
  async () => {
    const { start, url } = await setUp('statement')
    await expect(start({ DATABASE_LISTEN_URL: url })).rejects.toThrow(/statement/)
  },
)
