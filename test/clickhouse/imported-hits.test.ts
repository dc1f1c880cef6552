/** @module-tag extended */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ReportQuery, reportOf } from '#test/analytics/reports.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'
import { archiveWithHits, clicksCsv, minutesAgo } from '#test/transfer/hits-file.ts'
import { importsOf } from '#test/transfer/import-client.ts'
import { ask, delivered, soon } from './clicks.ts'
import { startClickHouse } from './stand-in.ts'
import { hasChdb } from '../../scripts/chdb.mjs'

// The engine is installed on demand: npm run test:all
describe.runIf(hasChdb())('imported hits in ClickHouse', () => {
  let clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  let server: TestServer
  let owner: Account
  const settings = () => ({ url: clickhouse.url, cluster: undefined, keepDays: 800 })
  const keepIn = (state: 'both' | 'clickhouse') =>
    server.sql('update app.click_store set state = $1', [state])
  const countOf = async (verdict: string) => {
    const [row] = await ask<{ n: number }>(
      settings(),
      `select toInt32(count()) as n from click_hits where verdict = '${verdict}'`,
    )
    return row?.n
  }
  const countries = ['DE', 'FR', 'IS']
  const hits = (count: number, minutes: number) =>
    Array.from({ length: count }, (_, n) => ({
      at: minutesAgo(minutes * (n + 1)),
      country: countries[n % 3] ?? '',
      utm_source: n % 2 === 0 ? 'mail' : '',
    }))
  const run = async (code: string, clicks: string) => {
    const imports = importsOf(server, owner)
    const { id } = await imports.check(archiveWithHits(code, clicks), 'a.zip')
    expect(await imports.run(id)).toMatchObject({ state: 'done', results: { made: 2 } })
    return { imports, id }
  }
  const questions: ReportQuery[] = (
    ['total', 'day', 'month', 'country', 'utm_source', 'verdict', 'weekhour'] as const
  ).flatMap((by) =>
    [
      ['repeats', 'own'],
      ['repeats', 'own', 'imported'],
      ['bots', 'imported'],
    ].map((include) => ({
      by,
      include,
      from: new Date(Date.now() - 100 * 86_400_000).toISOString(),
    })),
  )

  beforeAll(async () => {
    clickhouse = await startClickHouse()
    server = await startTestServer({ trustedProxies: 1, clickhouse: settings() })
    owner = await makeAccount(server, { plan: 'business' })
  })
  afterAll(async () => {
    await server.close()
    await clickhouse.close()
  })

  it('are in reports as in those of PostgreSQL, rolled up or not, and never unasked', async () => {
    await keepIn('both')
    await run('kept-link', clicksCsv(hits(2_500, 40)))
    await server.sql(
      `select app.apply_api_hit((select id from app.shortened_urls where short_code = 'kept-link'))`,
    )
    await delivered(server)
    const answers = async () => {
      const found = []
      for (const question of questions) {
        const { to: _, ...report } = await reportOf(server, owner, {
          ...question,
          to: minutesAgo(-1),
        })
        found.push(report)
      }
      return found
    }
    const postgres = await answers()
    await server.context.analytics.rollups.run()
    expect(await answers()).toEqual(postgres)
    await keepIn('clickhouse')
    expect(await answers()).toEqual(postgres)
    const clicks = postgres.slice(0, 3).map((report) => report.clicks)
    expect(clicks).toEqual([1, 2_501, 2_501])
  })

  it('go with the undo of their import, and no other hit goes', async () => {
    await keepIn('clickhouse')
    const { imports, id } = await run('undone-link', clicksCsv(hits(700, 1)))
    await delivered(server)
    expect(await countOf('imported')).toBe(3_200)
    await imports.act(id, 'undo')
    await imports.until(id, 'undone')
    await server.sql(
      `update app.clickhouse_import_deletions set made_at = now() - interval '2 minutes'`,
    )
    await vi.waitFor(async () => expect(await countOf('imported')).toBe(2_500), soon)
    expect(await countOf('counted')).toBe(1)
    await vi.waitFor(
      async () =>
        expect(await server.sql('select from app.clickhouse_import_deletions')).toEqual([]),
      soon,
    )
    const report = await reportOf(server, owner, {
      by: 'total',
      from: minutesAgo(150_000),
      include: ['imported'],
    })
    expect(report.clicks).toBe(2_501)
  })
})
