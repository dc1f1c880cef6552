/** @module-tag extended */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { frequentRead } from '#server/postgres/single-message.ts'
import { startHoplet } from '#server/start.ts'
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
  'works through a pooler in transaction mode, and hears of changes at DATABASE_LISTEN_URL',
  async () => {
    const { sql, url, start, messages } = await setUp('transaction')
    const server = await start({ DATABASE_LISTEN_URL: url })
    cleanups.push(() => server.stop())
    const [link] = await plantLinks(sql, [{ code: 'pooled', url: 'https://example.com/before' }])
    expect((await visit(server.url, '/pooled')).location).toBe('https://example.com/before')
    const { visits, listener, database } = server.context
    await expect.poll(() => listener.connected()).toBe(true)
    const changes = visits.measures().cache.changes
    await sql(
      `update app.shortened_urls set original_url = 'https://example.com/after' where id = $1`,
      [link?.id],
    )
    await expect.poll(() => visits.measures().cache.changes).toBeGreaterThan(changes)
    expect((await visit(server.url, '/pooled')).location).toBe('https://example.com/after')
    // A statement that another connection of the pooler has, or has not, is not relied on.
    const read = frequentRead('pooled_names', 'select unnest($1::text[]) as name')
    for (let i = 0; i < 3; i++) {
      const names = Array.from({ length: 8 }, (_, j) => `name-${i}-${j}`)
      const reader = { role: 'hoplet_visits' } as const
      const found = await Promise.all(
        names.map((name) => database.readOften<{ name: string }>(reader, read, [name])),
      )
      expect(found.map(({ rows }) => rows[0]?.name)).toEqual(names)
    }
    expect(
      messages().filter((text) => text.startsWith('prepared statements are off')),
    ).toHaveLength(1)
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
  },
)

it.skipIf(!hasPgBouncer)('says that a pooler in statement mode cannot be used', async () => {
  const { start, url } = await setUp('statement')
  await expect(start({ DATABASE_LISTEN_URL: url })).rejects.toThrow(/statement/)
})
