/** @module-tag extended */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { finishMove, moveToClickHouse, undoMove } from '#server/analytics/click-move.ts'
import { insertLines, openClickHouse } from '#server/analytics/clickhouse/client.ts'
import { createLog } from '#server/log.ts'
import { plantPopupLinks } from '#test/analytics/popup-links.ts'
import { hoursAgo, reportOf } from '#test/analytics/reports.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import type { Account } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import {
  ask,
  delivered,
  hitsInClickHouse,
  hitsInPostgres,
  popupEventsInClickHouse,
  popupEventsInPostgres,
  received,
  visitAtRandom,
} from './clicks.ts'
import { plantHistory } from './history.ts'
import { startClickHouse } from './stand-in.ts'
import { hasChdb } from '../../scripts/chdb.mjs'

// A database with clicks moves to ClickHouse while visits go on. The engine: npm run test:all
describe.runIf(hasChdb())('clicks that move', () => {
  const codes = Array.from({ length: 8 }, (_, n) => `moves-${n}`)
  let clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  /** Without CLICKHOUSE_URL, as all servers were. */
  let old: TestServer
  let server: TestServer
  let owner: Account
  const settings = () => ({ url: clickhouse.url, cluster: undefined, keepDays: 800 })
  const deps = () => ({
    database: server.context.database,
    settings: settings(),
    log: createLog('fatal'),
  })
  const stateOf = async () =>
    (await old.sql<{ state: string }>('select state from app.click_store'))[0]?.state
  const countOf = async () => {
    const [row] = await old.sql<{ n: number }>('select count(*)::int as n from app.click_events')
    return row?.n ?? 0
  }
  let sent = 0
  const visits = async (count: number, seed: number) => {
    await visitAtRandom(server, codes, { count, seed })
    sent += count
    await received(old, sent)
  }

  beforeAll(async () => {
    clickhouse = await startClickHouse()
    old = await startTestServer({ trustedProxies: 1 })
    const withPopup = await plantPopupLinks(old)
    owner = withPopup.owner
    const planted = codes.map((code) => ({ code, url: 'https://example.com/' }))
    const links = (await plantLinks(old.sql, planted, owner.id)).map(({ id }) => id)
    server = old
    await visits(300, 5)
    const surfaces = [withPopup.first.id, withPopup.second.id]
    const popup = withPopup.first.popupId
    await plantHistory(old, { popup, surfaces, links, count: 3_000, days: 40, seed: 9 })
    sent += 3_000
    server = await startTestServer({
      trustedProxies: 1,
      databaseUrl: old.databaseUrl,
      clickhouse: settings(),
    })
    const token = await server.context.tokens.sign(owner.claims, 3_600)
    owner = { ...owner, headers: { apikey: server.anonKey, authorization: `Bearer ${token}` } }
  })
  afterAll(async () => {
    await server.close()
    await old.close()
    await clickhouse.close()
  })

  it('stay where they are until they are moved', async () => {
    expect(await stateOf()).toBe('postgres')
    await visits(50, 6)
    expect(await countOf()).toBe(sent)
    expect(await hitsInClickHouse(settings())).toEqual([])
    await expect(finishMove(deps())).rejects.toThrow('not in ClickHouse yet')
  })

  it('are compared before anything is switched', async () => {
    let days = 0
    const interrupt = () => {
      if (++days === 10) throw new Error('killed')
    }
    await expect(moveToClickHouse(deps(), interrupt)).rejects.toThrow('killed')
    expect(await stateOf()).toBe('moving')
    // Two are gone: one of those that were copied, and one that was delivered.
    await visits(50, 11)
    await delivered(old)
    const client = openClickHouse(settings())
    const firstOf = async (condition: string) => {
      const [row] = await ask<{ at: string }>(
        settings(),
        `select toString(min(at)) as at from click_hits where ${condition}`,
      )
      await client.command({ query: `delete from click_hits where at = '${row?.at}'` })
      return row?.at.slice(0, 10)
    }
    const copied = await firstOf('delivery < 0')
    const today = await firstOf('delivery > 0')
    await client.close()
    const told: string[] = []
    const { differences } = await moveToClickHouse(deps(), (line) => told.push(line))
    expect(told.filter((line) => line.includes('again')).map((line) => line.slice(0, 10))).toEqual([
      copied,
      today,
    ])
    expect(differences).toMatchObject([{ day: today, kind: 'h' }])
    expect(await stateOf()).toBe('moving')
    await expect(finishMove(deps())).rejects.toThrow('not in ClickHouse yet')
    expect(await undoMove(deps(), () => {})).toContain('PostgreSQL alone')
    expect(await stateOf()).toBe('postgres')
    expect(await ask(settings(), 'show tables')).toEqual([])
    expect(await countOf()).toBe(sent)
  })

  it('are all there once, though the move was killed, and hits came meanwhile, also late ones', async () => {
    let days = 0
    const interrupt = () => {
      if (++days === 12) throw new Error('killed')
    }
    await expect(moveToClickHouse(deps(), interrupt)).rejects.toThrow('killed')
    // As if it had been killed in the middle of the next day, too.
    const [next] = await old.sql<{ day: string }>(
      'select day::text from app.days_to_move() day limit 1',
    )
    const number = -Math.floor(Date.parse(`${next?.day}T00:00:00Z`) / 86_400_000)
    const [part] = await old.sql<{ lines: string }>(
      `select app.lines_to_move('h', $1::date, $1::date + interval '20 hours', $2) as lines`,
      [next?.day, number],
    )
    const client = openClickHouse(settings())
    await insertLines(client, 'click_hits', part?.lines ?? '', 'of-a-killed-move')
    await client.close()
    expect(part?.lines.split('\n').length).toBeGreaterThan(5)
    await visits(200, 7)
    // As a journal that was replayed: of days that were copied, and of days that were not.
    for (const daysAgo of [39, 38, 2, 1]) {
      const at = String(Date.now() - daysAgo * 86_400_000)
      await old.sql(
        `select app.store_hits(array[$1, '77', s.id::text, a.id::text, '0', '0', '0', 'c', 'l'])
          from app.click_scopes s join app.click_scopes a on a.ref = s.user_id where s.kind = 'link' limit 1`,
        [at],
      )
      sent++
    }
    const { hits, differences } = await moveToClickHouse(deps(), () => {})
    expect(differences).toEqual([])
    expect(hits).toBeGreaterThan(1_000)
    expect(await stateOf()).toBe('both')
    await visits(100, 8)
    await delivered(old)
    const here = await hitsInPostgres(old)
    expect(here).toHaveLength(sent)
    expect(await hitsInClickHouse(settings())).toEqual(here)
    const events = await popupEventsInPostgres(old)
    expect(events).toHaveLength(1_000)
    expect(await popupEventsInClickHouse(settings())).toEqual(events)
  })

  it('are in ClickHouse alone once every server can read them there', async () => {
    const range = { from: hoursAgo(50 * 24), to: hoursAgo(-1) }
    const before = await reportOf(server, owner, { by: 'country', ...range })
    expect(before.clicks).toBeGreaterThan(1_000)
    await old.context.peers.run()
    await server.context.peers.run()
    await expect(finishMove(deps())).rejects.toThrow(/These servers have no CLICKHOUSE_URL/)
    expect(await stateOf()).toBe('both')
    await old.sql('delete from app.servers where not reads_clickhouse')
    expect(await finishMove(deps())).toContain('ClickHouse alone')
    expect(await countOf()).toBe(0)
    expect(await reportOf(server, owner, { by: 'country', ...range })).toEqual(before)
    await visits(60, 9)
    expect(await countOf()).toBe(0)
    await delivered(old)
    expect(await hitsInClickHouse(settings())).toHaveLength(sent)
    await expect(undoMove(deps(), () => {})).rejects.toThrow('cannot have them back')
  })
})
