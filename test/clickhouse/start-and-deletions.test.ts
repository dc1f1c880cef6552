/** @module-tag extended */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openClickHouse } from '#server/analytics/clickhouse/client.ts'
import { checkClickHouse } from '#server/analytics/clickhouse/start-check.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { ask, delivered, received, soon, visitAtRandom } from './clicks.ts'
import { startClickHouse } from './stand-in.ts'
import { hasChdb } from '../../scripts/chdb.mjs'

// The engine is installed on demand: npm run test:all
describe.runIf(hasChdb())('a database with ClickHouse', () => {
  let clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  let server: TestServer
  let free: Account
  let pro: Account
  const settings = () => ({ url: clickhouse.url, cluster: undefined, keepDays: 800 })
  const perAccount = () =>
    ask<{ account: number; n: number }>(
      settings(),
      'select account, toInt32(count()) as n from click_hits group by 1 order by 1',
    )
  const accountOf = async ({ id }: Account) =>
    (await server.sql<{ id: number }>('select id from app.click_scopes where ref = $1', [id]))[0]
      ?.id

  beforeAll(async () => {
    clickhouse = await startClickHouse()
    server = await startTestServer({ trustedProxies: 1, clickhouse: settings() })
    free = await makeAccount(server)
    pro = await makeAccount(server, { plan: 'pro' })
    for (const [code, { id }] of [
      ['of-free', free],
      ['of-pro', pro],
    ] as const)
      await plantLinks(server.sql, [{ code, url: 'https://example.com/' }], id)
    await visitAtRandom(server, ['of-free', 'of-pro'], { count: 100, seed: 88 })
    await received(server, 100)
    await delivered(server)
  })
  afterAll(async () => {
    await server.close()
    await clickhouse.close()
  })

  it('deletes hits beyond the retention of an account’s plan, and nothing else', async () => {
    const recent = await perAccount()
    const old = new Date(Date.now() - 100 * 86_400_000).getTime()
    for (const owner of [free, pro])
      await server.sql(`select app.store_hits(array[$1, '0', $2, $2, '0', '0', '0', 'c', 'l'])`, [
        String(old),
        String(await accountOf(owner)),
      ])
    await delivered(server)
    expect((await perAccount()).map(({ n }) => n)).toEqual(recent.map(({ n }) => n + 1))
    await server.sql(
      `select app.delete_old_clicks(1000, '{"free": 90, "pro": 400, "business": 800}')`,
    )
    await server.sql(`update app.clickhouse_deletions set made_at = now() - interval '2 hours'`)
    const freeAccount = await accountOf(free)
    await vi.waitFor(
      async () =>
        expect(await perAccount()).toEqual(
          recent.map(({ account, n }) => ({ account, n: account === freeAccount ? n : n + 1 })),
        ),
      soon,
    )
  })

  it('forgets an account that was deleted, and no other', async () => {
    const proAccount = await accountOf(pro)
    const [kept] = (await perAccount()).filter(({ account }) => account === proAccount)
    expect(await perAccount()).toHaveLength(2)
    await server.sql('delete from auth.users where id = $1', [free.id])
    await server.sql(`update app.clickhouse_deletions set made_at = now() - interval '2 minutes'`)
    await vi.waitFor(async () => expect(await perAccount()).toEqual([kept]), soon)
    await vi.waitFor(
      async () => expect(await server.sql('select from app.clickhouse_deletions')).toEqual([]),
      soon,
    )
  })

  it('with a full outbox refuses hits of procedures until there is room', async () => {
    const count = () => send(server, undefined, 'POST', 'rpc/count_visit', { short_code: 'of-pro' })
    await server.sql('update app.click_store set max_waiting = -1')
    const isFull = (full: boolean) =>
      vi.waitFor(
        async () =>
          expect(await server.sql('select is_full from app.click_store')).toEqual([
            { is_full: full },
          ]),
        soon,
      )
    await isFull(true)
    expect((await count()).status).toBeGreaterThanOrEqual(500)
    await server.sql('update app.click_store set max_waiting = 36000000')
    await isFull(false)
    expect((await count()).body).toBe(true)
  })

  it('does not start with settings that do not fit, and says which line to change', async () => {
    const problemWith = async (url: string | undefined, databaseUrl?: string) => {
      const clickhouseSettings = url === undefined ? undefined : { ...settings(), url }
      try {
        const started = await startTestServer({
          clickhouse: clickhouseSettings,
          ...(databaseUrl && { databaseUrl }),
        })
        await started.close()
        return undefined
      } catch (error) {
        return String(error)
      }
    }
    expect(await problemWith(clickhouse.url, server.databaseUrl)).toBeUndefined()
    expect(await problemWith(undefined, server.databaseUrl)).toContain('CLICKHOUSE_URL: is missing')
    expect(await problemWith(clickhouse.url.replace('secret', 'wrong'))).toContain(
      'refuses the user',
    )
    expect(await problemWith('http://hoplet:secret@127.0.0.1:9/hoplet')).toContain(
      'cannot be reached',
    )
    const postgres = await startTestServer()
    try {
      // Test databases are copies of one.
      await postgres.sql('update app.click_store set id = gen_random_uuid()')
      expect(await problemWith(clickhouse.url, postgres.databaseUrl)).toContain(
        'clicks of another Hoplet',
      )
      await postgres.sql(`insert into app.click_events values (now(), 1, 1, 1, 0, 0, 0, 'c', 'l')`)
      const other = clickhouse.url.replace(/\/hoplet$/, '/other')
      // Clicks that are in PostgreSQL stay there until they are moved.
      expect(await problemWith(other, postgres.databaseUrl)).toBeUndefined()
      expect(await postgres.sql('select state from app.click_store')).toEqual([
        { state: 'postgres' },
      ])
    } finally {
      await postgres.close()
    }
    // All that is wrong with the cluster at once: the engine here has none.
    const problems = await checkClickHouse({ ...settings(), cluster: 'hops' })
    expect(problems.map((problem) => problem.split('.')[0])).toEqual([
      'CLICKHOUSE_CLUSTER: ClickHouse knows no cluster hops',
      'CLICKHOUSE_CLUSTER: ClickHouse has no macro {shard}, which replicated tables need',
      'CLICKHOUSE_CLUSTER: ClickHouse has no macro {replica}, which replicated tables need',
    ])
    const client = openClickHouse(settings())
    await client.insert({
      table: 'hoplet_migrations',
      values: [{ number: 99 }],
      format: 'JSONEachRow',
    })
    await client.close()
    expect(await problemWith(clickhouse.url, server.databaseUrl)).toContain('has schema 99')
  })
})
