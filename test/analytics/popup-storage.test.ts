import { compilePopupDays } from '#server/analytics/reports/postgres-reader.ts'
import { crc32 } from 'node:zlib'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { encodeClick, maxRecordSize } from '#server/visits/record/click-record.ts'
import { decodeClicks, visitorNumber } from '#server/visits/record/decode-clicks.ts'
import type { PlantedPopupLink } from '#test/pages/plant.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, send } from '#test/tables/accounts.ts'
import { hitStoreOf, plainVisitor, prepare } from '#test/visits/hits.ts'
import { visit } from '#test/visits/visit.ts'
import { beacon, plantPopupLinks, storedEvents } from './popup-links.ts'
import { hoursAgo } from './reports.ts'

let server: TestServer
let owner: Account
let first: PlantedPopupLink
let second: PlantedPopupLink
beforeAll(async () => {
  server = await sharedServer()
  ;({ owner, first, second } = await plantPopupLinks(server))
  await visit(server.url, `/${first.code}`)
  await beacon(server, `/${first.code}/popup/shown`)
  await vi.waitFor(async () => expect(await storedEvents(server)).toBe(1), {
    timeout: 60_000,
    interval: 50,
  })
})
describe('the journal', () => {
  const target = '01234567-89ab-7cde-8f01-23456789abcd'
  const note = { action: 'closed-later', surface: 'ab'.repeat(16) } as const

  it('holds events between visits, and records of the version before', () => {
    const bytes = Buffer.alloc(3 * maxRecordSize)
    let end = encodeClick(bytes, 0, 1_000, 'link', target, plainVisitor)
    const visitor = { ...plainVisitor, details: note }
    end = encodeClick(bytes, end, 2_000, 'popup', target, visitor)
    const old = firstVersion(target)
    old.copy(bytes, end)
    const { clicks, corrupt } = decodeClicks(bytes.subarray(0, end + old.length), 10, true)
    expect(corrupt).toBe(0)
    expect(clicks.kinds).toEqual(['link', 'popup', 'bio_link'])
    expect(clicks.targets).toEqual([0, 1, 2].map(() => target.replaceAll('-', '')))
    expect(clicks.details).toEqual([undefined, note, undefined])
  })

  it('with events that no one could have written stores the others', async () => {
    const before = await storedEvents(server)
    const sound = { action: 'shown', surface: first.id.replaceAll('-', '') }
    const all = [
      sound,
      {},
      { action: 'shown' },
      { action: 'dance', surface: 'a'.repeat(32) },
      { action: 'shown', surface: 'a'.repeat(32) },
      { action: 'shown', surface: 'a' },
      sound,
    ]
    const bytes = Buffer.alloc(all.length * maxRecordSize)
    let end = 0
    for (const details of all)
      end = encodeClick(bytes, end, Date.now(), 'popup', first.popupId, {
        ...plainVisitor,
        details,
      })
    const { clicks } = decodeClicks(bytes.subarray(0, end), 10, true)
    const prepared = await prepare(server.context.database, clicks)
    await server.context.database.transactionAs({ role: 'hoplet_visits' }, (db) =>
      prepared.apply(db),
    )
    expect(await storedEvents(server)).toBe(before + 2)
  })

  it('is read by a server that has just started: repeats stay repeats', async () => {
    const surface = first.id.replaceAll('-', '')
    const identity = { hash: Buffer.alloc(8, 9), place: Buffer.alloc(0) }
    for (const action of ['shown', 'left', 'shown'] as const) {
      const bytes = Buffer.alloc(maxRecordSize)
      const visitor = { ...plainVisitor, details: { action, surface }, identity }
      const end = encodeClick(bytes, 0, Date.now(), 'popup', first.popupId, visitor)
      const { clicks } = decodeClicks(bytes.subarray(0, end), 10, true)
      const { database } = server.context
      const prepared = await hitStoreOf(database).prepare(clicks)
      await database.transactionAs({ role: 'hoplet_visits' }, (db) => prepared.apply(db))
    }
    expect(
      await server.sql(
        'select action, verdict from app.popup_events where visitor = $1 order by at',
        [visitorNumber(identity.hash)],
      ),
    ).toEqual([
      { action: 's', verdict: 'c' },
      { action: 'l', verdict: 'c' },
      { action: 's', verdict: 'r' },
    ])
  })
})

/** A record as journals had it before events of popups and visitors. */
function firstVersion(id: string): Buffer {
  const bytes = Buffer.alloc(38)
  bytes.write('HPL1', 0, 'latin1')
  bytes.writeUInt16LE(38, 8)
  bytes.write(id.replaceAll('-', ''), 16, 'hex')
  bytes[32] = 2
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4)
  return bytes
}

describe('events', () => {
  // The same moments in each report of a test.
  const [from, to] = [hoursAgo(24 * 30), hoursAgo(0)]
  async function report() {
    const { body } = await send(server, owner, 'POST', 'rpc/popup_report', {
      _id: first.popupId,
      _from: from,
      _to: to,
    })
    return body as { actions: { shown: number }; people: { shown: number } }
  }
  async function blocksOfReport(): Promise<number> {
    const [popup] = await server.sql<{ id: number }>(
      'select popup as id from app.popup_events where popup > 0 limit 1',
    )
    const popups = [popup?.id ?? 0]
    const micros = (time: string) => Date.parse(time) * 1_000
    const span = { from: micros(from), to: micros(to) }
    const { text, values } = compilePopupDays({ popups, zone: 'UTC', ...span })
    const { rows } = await server.context.database.transactionAs(
      { role: 'hoplet_reports' },
      async (db) => {
        await db.query(`select set_config('enable_indexscan', 'off', true)`)
        return db.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
          `explain (analyze, buffers, format json) ${text}`,
          values,
        )
      },
    )
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
    return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
  }
  async function rolledDays(): Promise<number> {
    const [row] = await server.sql<{ n: number }>(
      `select count(*)::int as n from app.click_rollups r join app.click_scopes s on s.id = r.scope
        where s.kind = 'popup' and r.dimension = 'total'`,
    )
    return row?.n ?? 0
  }
  const plans = { free: 90, pro: 400, business: 800 }
  const forget = () =>
    server.sql<{ n: number }>('select app.delete_old_clicks(10000, $1)', [JSON.stringify(plans)])

  it('popup events are kept as long as the plan keeps clicks, in separate months', async () => {
    const before = await storedEvents(server)
    await server.sql('select app.make_click_months(app.today() - 500, app.today())')
    for (const days of [399, 401]) {
      await server.sql(
        `insert into app.popup_events select now() - $1 * interval '1 day', 1, e.popup, e.surface, e.account, 's', 'c' from app.popup_events e limit 1`,
        [days],
      )
      await server.sql(
        `insert into app.click_account_days select e.account, app.today() - $1::integer, 1 from app.popup_events e limit 1`,
        [days],
      )
    }
    await forget()
    expect(await storedEvents(server)).toBe(before + 1)
    await server.sql(`select app.keep_click_months('{"free": 1, "pro": 200}')`)
    expect(await storedEvents(server)).toBe(before)
  })

  it('of five popups take at most 100 bytes each, and a report of one reads no block twice', async () => {
    await server.sql(
      "select app.make_click_months((app.today() - interval '40 days')::date, app.today())",
    )
    await server.sql(
      `insert into app.popup_events select now() - (100000 - n) * interval '25 seconds', (random() * 1e4)::bigint,
        case n % 5 when 0 then e.popup else -n % 5 end, case n % 3 when 0 then s.scope else e.surface end, e.account,
        (array['s', 's', 'b', 'c', 'r', 'l'])[1 + n / 5 % 6]::"char", (array['c', 'c', 'r', 'o', 'b'])[1 + (random() * 4)::integer]::"char"
      from generate_series(1, 100000) n, (select * from app.popup_events limit 1) e, app.click_scopes_of(array[$1::uuid]) s`,
      [second.id],
    )
    const [size] = await server.sql<{ bytes: number }>(
      `select sum(pg_total_relation_size(inhrelid))::int as bytes from pg_inherits where inhparent = 'app.popup_events'::regclass`,
    )
    expect(size?.bytes).toBeLessThan(100 * 100_000)
    await server.sql('analyze app.popup_events')
    // The 740 of all events, and those of the index: a block for each event would make 20,000. A connection that plans
    // the report for the first time reads the catalog as well.
    const blocks: number[] = []
    for (let run = 0; run < 4; run++) blocks.push(await blocksOfReport())
    expect(Math.min(...blocks)).toBeLessThan(1_500)
  })

  it('of busy days are rolled up: reports say the same, also without the events, and of late ones', async () => {
    await server.sql(
      `insert into app.click_account_days select (select account from app.popup_events limit 1), app.today() - n, 600 from generate_series(0, 30) n
        on conflict (account, day) do update set received = 600`,
    )
    const before = await report()
    for (let n = 0; n < 2; n++) await server.context.analytics.rollups.run()
    const rolled = await rolledDays()
    expect(rolled).toBeGreaterThan(20)
    expect(await report()).toEqual(before)
    expect(await blocksOfReport()).toBeLessThan(300)

    await server.sql(
      `select app.store_popup_events(array[(extract(epoch from now() - interval '5 days') * 1000)::bigint::text, '77777', popup::text, surface::text, account::text, 's', 'c'])
        from app.popup_events where popup > 0 limit 1`,
    )
    expect(await rolledDays()).toBe(rolled - 1)
    const late = await report()
    expect(late.actions.shown).toBe(before.actions.shown + 1)
    expect(late.people.shown).toBe(before.people.shown + 1)
    await server.context.analytics.rollups.run()
    expect(await rolledDays()).toBe(rolled)
    expect(await report()).toEqual(late)
    await server.sql(
      `delete from app.popup_events e using app.click_rollups r
        where r.scope = e.popup and r.grain = 'd' and r.dimension = 'total' and r.day = (e.at at time zone 'UTC')::date`,
    )
    expect(await report()).toEqual(late)
  })

  it('go with their account', async () => {
    await server.sql('delete from app.popup_events where popup < 0')
    await server.sql('delete from auth.users where id = $1', [owner.id])
    while ((await storedEvents(server)) > 0) await forget()
    expect(await server.sql('select from app.click_erasures')).toEqual([])
  })
})
