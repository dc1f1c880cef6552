import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openClickHouse } from '#server/analytics/clickhouse/client.ts'
import { insertHits } from '#server/analytics/clickhouse/deliveries.ts'
import { prepareClickHouse } from '#server/analytics/clickhouse/schema.ts'
import { randomHits } from '#test/analytics/random-hits.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { startClickHouse } from './stand-in.ts'

// The engine is installed on demand: npm run test:clickhouse
describe.runIf(process.env['CLICKHOUSE_TESTS'] === 'on')('ClickHouse', () => {
  const codes = Array.from({ length: 10 }, (_, n) => `ch-${n}`)
  let clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  let server: TestServer
  beforeAll(async () => {
    clickhouse = await startClickHouse()
    server = await startTestServer({ trustedProxies: 1, clickhouse: settings() })
    const owner = await makeAccount(server, { plan: 'pro' })
    await plantLinks(
      server.sql,
      codes.map((code) => ({ code, url: 'https://example.com/' })),
      owner.id,
    )
  })
  afterAll(async () => {
    await server.close()
    await clickhouse.close()
  })
  const settings = () => ({ url: clickhouse.url, cluster: undefined, keepDays: 800 })

  async function visitAtRandom(count: number, seed: number) {
    const agent = new Agent({ keepAlive: true, maxSockets: 20 })
    await Promise.all(
      (await randomHits(count, codes, seed)).map(({ path, method, headers }) =>
        visit(server.url, path, { method, headers, agent }),
      ),
    )
    agent.destroy()
  }
  const stored = async () =>
    (await server.sql<{ n: number }>('select count(*)::int as n from app.click_events'))[0]?.n ?? 0
  const waiting = async () => (await server.context.analytics.deliveries?.status())?.waiting
  const arrived = () => vi.waitFor(async () => expect(await waiting()).toBe(0), { timeout: 60_000 })

  async function ask<Row>(query: string): Promise<Row[]> {
    const client = openClickHouse(settings())
    try {
      return await (await client.query({ query, format: 'JSONEachRow' })).json<Row>()
    } finally {
      await client.close()
    }
  }
  const texts =
    'verdict source device browser system language bot country referrer page utm_source utm_campaign'.split(
      ' ',
    )
  /** Every hit with all that is known of it, as lines in order. */
  const inClickHouse = () =>
    ask<{ line: string }>(
      `select concatWithSeparator('|', toString(toUnixTimestamp64Milli(at)), toString(visitor), toString(scope), toString(account), ${texts.join(', ')}) as line from click_hits order by line`,
    )
  const inPostgres = () =>
    server.sql<{ line: string }>(
      `select concat_ws('|', (extract(epoch from e.at) * 1000)::bigint, e.visitor, e.scope, e.account, ${texts.map((text) => (text === 'verdict' || text === 'source' ? `app.click_word('${text}', e.${text}::text)` : text)).join(', ')}) collate "C" as line
        from app.click_events e join app.click_clients c on c.id = e.client join app.click_places p on p.id = e.place
          join app.click_origins o on o.id = e.origin order by 1`,
    )

  it('has the same hits as PostgreSQL', async () => {
    await visitAtRandom(1_000, 83)
    await vi.waitFor(async () => expect(await stored()).toBe(1_000), { timeout: 60_000 })
    await arrived()
    expect(await inClickHouse()).toEqual(await inPostgres())
  })

  it('that is down holds up neither visits nor counters, and gets the hits later', async () => {
    await clickhouse.stop()
    await visitAtRandom(500, 84)
    await vi.waitFor(async () => expect(await stored()).toBe(1_500), { timeout: 60_000 })
    expect(await waiting()).toBe(500)
    await vi.waitFor(
      async () =>
        expect(await server.context.analytics.deliveries?.status()).toMatchObject({ isUp: false }),
      { timeout: 60_000 },
    )
    await clickhouse.startAgain()
    // The server that failed would wait for its lease.
    await server.sql('update app.click_outbox set leased_until = now() where delivery is not null')
    await arrived()
    expect(await inClickHouse()).toEqual(await inPostgres())
  })

  it('counts a delivery once however often it comes', async () => {
    const [{ n: before } = { n: 0 }] = await ask<{ n: number }>(
      'select toInt32(count()) as n from click_hits',
    )
    const hit = [
      String(Date.now() / 1_000),
      1,
      0,
      0,
      'counted',
      'link',
      ...Array.from({ length: 15 }, () => ''),
    ]
    const client = openClickHouse(settings())
    for (let times = 0; times < 3; times++) await insertHits(client, [hit], 'one')
    // The control: the same hit in another delivery is another hit.
    await insertHits(client, [hit], 'two')
    await client.close()
    expect(await ask('select toInt32(count()) as n from click_hits')).toEqual([{ n: before + 2 }])
  })

  it('forgets an account that was deleted, and no other', async () => {
    // The hits above of account 0 stay.
    await server.sql('delete from auth.users where id in (select user_id from app.click_scopes)')
    await server.sql(`update app.clickhouse_erasures set made_at = now() - interval '2 minutes'`)
    await vi.waitFor(
      async () =>
        expect(
          await ask('select account, toInt32(count()) as n from click_hits group by 1'),
        ).toEqual([{ account: 0, n: 2 }]),
      { timeout: 60_000, interval: 500 },
    )
    expect(await server.sql('select account from app.clickhouse_erasures')).toEqual([])
  })

  it('stops the start when its schema, password or address is wrong', async () => {
    const problemWith = async (url: string) =>
      prepareClickHouse({ ...settings(), url }).catch((error: unknown) => String(error))
    expect(await problemWith(clickhouse.url)).toBeUndefined()
    expect(await problemWith(clickhouse.url.replace('secret', 'wrong'))).toContain(
      'refuses the user',
    )
    expect(await problemWith('http://hoplet:secret@127.0.0.1:9/hoplet')).toContain(
      'cannot be reached',
    )
    await ask('select 1')
    const client = openClickHouse(settings())
    await client.insert({
      table: 'hoplet_migrations',
      values: [{ number: 99 }],
      format: 'JSONEachRow',
    })
    await client.close()
    expect(await problemWith(clickhouse.url)).toContain('has schema 99')
  })
})
