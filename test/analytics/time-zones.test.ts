import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { reportOf } from './reports.ts'

let server: TestServer
let owner: Account
beforeAll(async () => {
  server = await startTestServer()
  owner = await makeAccount(server, { plan: 'business' })
})
afterAll(() => server.close())

describe('a report by day', () => {
  // Clocks in Cairo went forward at midnight before April 25.
  const range = { _from: '2025-04-23T00:00:00Z', _to: '2025-04-28T00:00:00Z' }
  it.each(['UTC', 'Africa/Cairo'])('has every day in a session of %s', async (zone) => {
    const question = { _scope: 'account', _by: 'day', ...range }
    const asked = { prefer: `timezone=${zone}` }
    const { body } = await send(server, owner, 'POST', 'rpc/click_report', question, asked)
    expect((body as ClickReport).rows.map(({ key }) => key)).toEqual(
      [23, 24, 25, 26, 27].map((day) => `2025-04-${day}T00:00:00Z`),
    )
  })
})

describe('the time zone of reports', () => {
  const set = (zone: string) => send(server, owner, 'POST', 'rpc/set_time_zone', { _zone: zone })
  it.each(['Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'UTC'])(
    'can be %s',
    async (zone) => {
      expect((await set(zone)).status).toBe(204)
    },
  )
  it.each([
    'posix/Asia/Tokyo',
    'right/Asia/Tokyo',
    'localtime',
    'posixrules',
    'Factory',
    'Mars/Olympus',
  ])('cannot be %s, even where the machine has such a file', async (zone) => {
    expect(await set(zone)).toMatchObject({ status: 400, body: { message: 'Unknown time zone' } })
  })
})

describe('a day with two first hours', () => {
  // On the Azores 00:00 to 01:00 came at midnight UTC and again an hour later.
  let link = ''
  beforeAll(async () => {
    const links = [{ code: 'twice', url: 'https://example.com/' }]
    const [planted] = await plantLinks(server.sql, links, owner.id)
    link = planted?.id ?? ''
    await server.sql('select * from app.click_scopes_of(array[$1::uuid])', [link])
    await server.sql(`select app.make_click_months('2025-10-01', '2025-11-01')`)
    await server.sql(`update app.profiles set time_zone = 'Atlantic/Azores' where id = $1`, [
      owner.id,
    ])
  })

  /** Hits of as many visitors at a moment. */
  const store = (at: string, hits: number) =>
    server.sql(
      `select app.store_hits(array[
          string_agg((extract(epoch from timestamptz '${at}') * 1000)::bigint::text, e'\n'), string_agg((n * 2 + 1)::text, e'\n'),
          string_agg(s.scope::text, e'\n'), string_agg(s.account::text, e'\n'),
          string_agg('0', e'\n'), string_agg('0', e'\n'), string_agg('0', e'\n'), string_agg('c', e'\n'), string_agg('l', e'\n')])
        from generate_series(1, ${hits}) n cross join app.click_scopes_of(array[$1::uuid]) s`,
      [link],
    )
  /** Rolled up clicks of the link by grain and day. */
  async function rolledUp() {
    for (let n = 0; n < 2; n++) await server.context.analytics.rollups.run()
    const rows = await server.sql<{ name: string; counted: number }>(
      `select concat_ws(' ', r.grain, r.day) as name, r.counted from app.click_rollups r join app.click_scopes s on s.id = r.scope
        where s.ref = $1 and r.dimension = 'total' order by 1`,
      [link],
    )
    return Object.fromEntries(rows.map(({ name, counted }) => [name, counted]))
  }
  async function reported() {
    const range = { from: '2025-10-25T00:00:00Z', to: '2025-10-28T01:00:00Z' }
    const { clicks, rows } = await reportOf(server, owner, { by: 'day', ...range })
    return { clicks, days: Object.fromEntries(rows.map(({ key, clicks: n }) => [key, n])) }
  }

  it('has both hours in its rollup, and its month counts each hit once', async () => {
    await store('2025-10-25 12:00Z', 600)
    await store('2025-10-26 00:30Z', 600)
    await store('2025-10-26 01:30Z', 600)
    const days = {
      '2025-10-25T00:00:00Z': 600,
      '2025-10-26T00:00:00Z': 1200,
      '2025-10-27T01:00:00Z': 0,
    }
    expect(await reported()).toEqual({ clicks: 1_800, days })
    const rollups = { 'd 2025-10-25': 600, 'd 2025-10-26': 1_200, 'm 2025-10-01': 1_800 }
    expect(await rolledUp()).toEqual(rollups)
    expect(await reported()).toEqual({ clicks: 1_800, days })
  })

  it('takes late hits of both hours', async () => {
    await store('2025-10-26 00:45Z', 10)
    await store('2025-10-26 01:45Z', 20)
    const rollups = { 'd 2025-10-25': 600, 'd 2025-10-26': 1_230, 'm 2025-10-01': 1_830 }
    expect(await rolledUp()).toEqual(rollups)
    expect(await reported()).toMatchObject({ clicks: 1_830 })
  })
})
