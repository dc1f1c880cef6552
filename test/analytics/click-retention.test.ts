import pg from 'pg'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'

const days = JSON.stringify({ free: 90, pro: 400, business: 800 })
const servers: TestServer[] = []
let server: TestServer
let large: Account
let small: Account
const numbers = new Map<string, number>()

// Two days of each account: a day beyond its retention, and one within it.
beforeEach(async () => {
  server = await startTestServer()
  servers.push(server)
  large = await makeAccount(server)
  small = await makeAccount(server)
  await server.sql('select app.make_click_months(app.today() - 120, app.today())')
  await plant(large, { ago: 100, hits: 25 })
  await plant(small, { ago: 99, hits: 3 })
  await plant(large, { ago: 80, hits: 4 })
})
afterAll(() => Promise.all(servers.map((each) => each.close())))

/** Hits of a day with as many samples and events of a popup, and its rollup. */
async function plant({ id }: Account, { ago, hits }: { ago: number; hits: number }) {
  const [account] = await server.sql<{ id: number }>(
    `insert into app.click_scopes (kind, ref, user_id) values ('account', $1, $1)
      on conflict (ref) do update set kind = 'account' returning id`,
    [id],
  )
  const values = [account?.id, ago, hits]
  numbers.set(id, account?.id ?? 0)
  await server.sql(
    `with made as (
        insert into app.click_events (at, visitor, scope, account, origin, place, client, verdict, source)
          select (app.today() - $2::integer)::timestamp at time zone 'UTC' + n * interval '1 minute', n, $1, $1, 0, 0, 0, 'c', 'l'
            from generate_series(1, $3::integer) n returning *)
      insert into app.click_samples select m.*, 32 from made m`,
    values,
  )
  await server.sql(
    `with popup as (
        insert into app.click_scopes (kind, ref, user_id) values ('popup', gen_random_uuid(), $2) returning id)
      insert into app.popup_events (at, visitor, popup, surface, account, action, verdict)
        select e.at, e.visitor, p.id, e.account, e.account, 's', 'c' from app.click_events e, popup p
          where e.account = $1 and e.at < (app.today() - $3::integer + 1)::timestamp at time zone 'UTC'
            and e.at >= (app.today() - $3::integer)::timestamp at time zone 'UTC'`,
    [account?.id, id, ago],
  )
  await server.sql(
    `insert into app.click_account_days (account, day, received) values ($1, app.today() - $2::integer, $3)`,
    values,
  )
  await server.sql(
    `insert into app.click_rollups (scope, grain, dimension, day, value, counted, repeats, own, bots, visitors)
      values ($1, 'd', 'total', app.today() - $2::integer, '', $3, 0, 0, 0, $3)`,
    values,
  )
}

const deleteSome = async (rows = 10) =>
  (await server.sql<{ n: number }>('select app.delete_old_clicks($1, $2) as n', [rows, days]))[0]?.n

/** Rows of an account by table. */
async function rowsOf({ id }: Account) {
  const tables = ['click_events', 'popup_events', 'click_samples', 'click_account_days']
  const counts = tables.map(
    (table) => `(select count(*)::int from app.${table} x where x.account = $1) as ${table}`,
  )
  const [row] = await server.sql<Record<string, number>>(
    `select ${counts.join(', ')}, (select count(*)::int from app.click_rollups r where r.scope = $1) as click_rollups`,
    [numbers.get(id)],
  )
  return row
}
const rows = (events: number, of: number) => ({
  click_events: events,
  popup_events: events,
  click_samples: events,
  click_account_days: of,
  click_rollups: of,
})

describe('deleting old clicks', () => {
  it('takes no more rows than it was asked for, and a day stays known until it is empty', async () => {
    const before = rows(29, 2)
    expect(await rowsOf(large)).toEqual(before)
    expect(await deleteSome()).toBe(10)
    expect(await rowsOf(large)).toEqual({ ...before, click_events: 19 })
    for (let call = 2; call <= 7; call++) expect(await deleteSome()).toBe(10)
    // 70 of 75: all hits, all events of popups and 20 samples.
    expect(await rowsOf(large)).toEqual({ ...rows(4, 2), click_samples: 9 })
    expect(await rowsOf(small)).toEqual(rows(3, 1))
    expect(await deleteSome()).toBe(10)
    expect(await rowsOf(large)).toEqual(rows(4, 1))
    expect(await deleteSome()).toBe(4)
    expect(await rowsOf(small)).toEqual(rows(0, 0))
    expect(await deleteSome()).toBe(0)
    expect(await rowsOf(large)).toEqual(rows(4, 1))
  })

  it('deletes all of it in one call with room for it', async () => {
    expect(await deleteSome(1_000)).toBe(84)
    expect([await rowsOf(large), await rowsOf(small)]).toEqual([rows(4, 1), rows(0, 0)])
  })

  it('is done by one server at a time, and leaves nothing of a day behind', async () => {
    const other = new pg.Client({ connectionString: server.superuserUrl })
    await other.connect()
    await other.query('begin')
    await other.query('select app.delete_old_clicks(10, $1)', [days])
    expect(await deleteSome(1_000)).toBe(0)
    await other.query('commit')
    await other.end()
    expect(await deleteSome(1_000)).toBe(74)
    expect([await rowsOf(large), await rowsOf(small)]).toEqual([rows(4, 1), rows(0, 0)])
  })

  it('of an account that is gone takes no more rows than it was asked for', async () => {
    await server.sql('delete from auth.users where id = $1', [large.id])
    const sizes: unknown[] = []
    for (let call = 0; call < 12; call++) sizes.push(await deleteSome())
    // 29 hits and samples; its popups are erased by their own numbers.
    expect(sizes.every((size) => Number(size) <= 10)).toBe(true)
    expect(await rowsOf(large)).toMatchObject({ click_events: 0, click_samples: 0 })
    expect(await rowsOf(small)).toEqual(rows(0, 0))
  })
})
