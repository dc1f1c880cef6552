/** @module-tag extended */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { insertLines, openClickHouse } from '#server/analytics/clickhouse/client.ts'
import { beacon, plantPopupLinks } from '#test/analytics/popup-links.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import {
  ask,
  delivered,
  hitsInClickHouse,
  hitsInPostgres,
  popupEventsInClickHouse,
  popupEventsInPostgres,
  received,
  soon,
  visitAtRandom,
  waitingHits,
} from './clicks.ts'
import { startClickHouse } from './stand-in.ts'
import { hasChdb } from '../../scripts/chdb.mjs'

// The engine is installed on demand: npm run test:all
describe.runIf(hasChdb())('hits on their way to ClickHouse', () => {
  const codes = Array.from({ length: 10 }, (_, n) => `ch-${n}`)
  let clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  let server: TestServer
  const settings = () => ({ url: clickhouse.url, cluster: undefined, keepDays: 800 })
  const config = () => ({ trustedProxies: 1, clickhouse: settings() })
  const stateOf = async () =>
    (await server.sql<{ state: string }>('select state from app.click_store'))[0]?.state
  const countThere = async (table = 'click_hits') =>
    (await ask<{ n: number }>(settings(), `select toInt32(count()) as n from ${table}`))[0]?.n
  /** As after a crash between the insert and its note: the same server repeats them, or the next one. */
  const deleteDeliveries = () =>
    server.sql('update app.click_outbox set delivered_at = null, leased_until = now()')

  beforeAll(async () => {
    clickhouse = await startClickHouse()
    server = await startTestServer(config())
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

  it('are in neither table of PostgreSQL', async () => {
    expect(await stateOf()).toBe('clickhouse')
    await visitAtRandom(server, codes, { count: 500, seed: 83 })
    await received(server, 500)
    await delivered(server)
    expect(await countThere()).toBe(500)
    expect(
      await server.sql(
        'select (select count(*)::int from app.click_events) as events, (select count(*)::int from app.click_samples) as samples',
      ),
    ).toEqual([{ events: 0, samples: 0 }])
  })

  it('are the same as in PostgreSQL while both have them, with those of the API and of popups', async () => {
    const { first } = await plantPopupLinks(server)
    await server.sql(`update app.click_store set state = 'both'`)
    const before = new Set(await hitsInClickHouse(settings()))
    await visitAtRandom(server, codes, { count: 1_000, seed: 84 })
    for (const action of ['shown', 'clicked', 'closed-later'])
      await beacon(server, `/${first.code}/popup/${action}`)
    await send(server, undefined, 'POST', 'rpc/count_visit', { short_code: codes[0] })
    await vi.waitFor(
      async () =>
        expect(await server.sql('select count(*)::int as n from app.click_events')).toEqual([
          { n: 1_001 },
        ]),
      soon,
    )
    await vi.waitFor(
      async () =>
        expect(await server.sql('select count(*)::int as n from app.popup_events')).toEqual([
          { n: 3 },
        ]),
      soon,
    )
    await delivered(server)
    const there = await hitsInClickHouse(settings())
    expect(there.filter((line) => !before.has(line))).toEqual(await hitsInPostgres(server))
    expect(await popupEventsInClickHouse(settings())).toEqual(await popupEventsInPostgres(server))
    await server.sql(
      `update app.click_store set state = 'clickhouse'; truncate app.click_events, app.popup_events`,
    )
  })

  it('are stored once however often they are delivered', async () => {
    const before = await countThere()
    await deleteDeliveries()
    await delivered(server)
    expect(await countThere()).toBe(before)
    // Long after ClickHouse has forgotten the tokens.
    await server.sql('update app.click_store set generation = generation + 1')
    await deleteDeliveries()
    await delivered(server)
    expect(await countThere()).toBe(before)
    // The control: under other numbers they are other hits.
    await server.sql(
      'update app.click_store set last_delivery = 2000; update app.click_outbox set delivery = delivery + 1000',
    )
    await deleteDeliveries()
    await delivered(server)
    expect(await countThere()).toBe(Number(before) * 2)
    const client = openClickHouse(settings())
    await client.command({ query: 'delete from click_hits where delivery > 1000' })
    await client.command({ query: 'delete from popup_events where delivery > 1000' })
    await client.close()
    await server.sql(
      'update app.click_outbox set delivery = delivery - 1000; update app.click_store set last_delivery = (select max(delivery) from app.click_outbox)',
    )
    expect(await countThere()).toBe(before)
  })

  it('are stored once though a delivery of two months broke off between them', async () => {
    const client = openClickHouse(settings())
    const line = (at: string, number: number) =>
      `${at}\t7\t0\t0\tcounted\tlink${'\t'.repeat(19)}${number}\n`
    const [{ number } = { number: 0 }] = await server.sql<{ number: number }>(
      'update app.click_store set last_delivery = last_delivery + 1 returning last_delivery::int as number',
    )
    const months = [Date.UTC(2026, 0, 5), Date.UTC(2026, 1, 5)]
    await insertLines(client, 'click_hits', line('2026-01-05 00:00:00', number), 'broken off')
    await client.close()
    await server.sql(
      `insert into app.click_outbox (kind, columns, hits, first_at, delivery, leased_until)
        select 'h', array[$1, e'7\n7', e'0\n0', e'0\n0', e'0\n0', e'0\n0', e'0\n0', e'c\nc', e'l\nl'], 2, '2026-01-05', $2, now()`,
      [months.join('\n'), number],
    )
    await delivered(server)
    expect(
      await ask(
        settings(),
        `select toMonth(at) as month, toInt32(count()) as n from click_hits where delivery = ${number} group by 1 order by 1`,
      ),
    ).toEqual([
      { month: 1, n: 1 },
      { month: 2, n: 1 },
    ])
    const sampled = await ask(
      settings(),
      `select toMonth(at) as month, toInt32(count()) as n from click_samples where delivery = ${number} group by 1 order by 1`,
    )
    expect(sampled).toEqual([
      { month: 1, n: 1 },
      { month: 2, n: 1 },
    ])
  })

  it('wait while it is down, as visits and counters do not, also over a restart', async () => {
    const before = Number(await countThere())
    await clickhouse.stop()
    const visitor = {
      'x-forwarded-for': '198.51.100.83',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    }
    await visit(server.url, `/${codes[1]}`, { headers: visitor })
    await visitAtRandom(server, codes, { count: 300, seed: 85 })
    await vi.waitFor(async () => expect(await waitingHits(server)).toBe(301), soon)
    await vi.waitFor(
      async () =>
        expect(await server.context.analytics.deliveries?.status()).toMatchObject({ isUp: false }),
      soon,
    )
    // Another server of the database starts without ClickHouse, and knows the latest visitors.
    const other = await startTestServer({ ...config(), databaseUrl: server.databaseUrl })
    try {
      await visit(other.url, `/${codes[1]}`, { headers: visitor })
      await vi.waitFor(async () => expect(await waitingHits(server)).toBe(302), soon)
      const rows = await server.sql<{ verdict: string }>(
        'select columns[8] as verdict from app.click_outbox order by id desc limit 1',
      )
      expect(rows).toEqual([{ verdict: 'r' }])
      await clickhouse.startAgain()
      await server.sql(
        'update app.click_outbox set leased_until = now() where delivered_at is null',
      )
      await delivered(server)
    } finally {
      await other.close()
    }
    expect(await countThere()).toBe(before + 302)
  })

  it('that a restored database does not know are deleted, and the next ones arrive', async () => {
    const before = Number(await countThere())
    const [kept] = await server.sql<{ last: string }>(
      'select last_delivery as last from app.click_store',
    )
    await visitAtRandom(server, codes, { count: 100, seed: 86 })
    await vi.waitFor(async () => expect(await countThere()).toBe(before + 100), soon)
    // PostgreSQL as it was before these visits.
    await server.context.analytics.close()
    await server.sql('delete from app.click_outbox where delivery > $1', [kept?.last])
    await server.sql('update app.click_store set last_delivery = $1', [kept?.last])
    const restored = await startTestServer({ ...config(), databaseUrl: server.databaseUrl })
    try {
      await vi.waitFor(async () => expect(await countThere()).toBe(before), soon)
      await visitAtRandom(restored, codes, { count: 50, seed: 87 })
      await vi.waitFor(async () => expect(await countThere()).toBe(before + 50), soon)
    } finally {
      await restored.close()
    }
  })
})
