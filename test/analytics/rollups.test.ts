import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { reportOf } from './reports.ts'

let server: TestServer
let owner: Account
let link: string
beforeAll(async () => {
  server = await startTestServer()
  owner = await makeAccount(server, { plan: 'business' })
  const [planted] = await plantLinks(
    server.sql,
    [{ code: 'rolled-up', url: 'https://example.com/' }],
    owner.id,
  )
  link = planted?.id ?? ''
  await server.sql('select * from app.click_scopes_of(array[$1::uuid])', [link])
  await server.sql(
    "select app.make_click_months((app.today() - interval '4 months')::date, app.today())",
  )
})
afterAll(() => server.close())

/** A day of two months ago, as the start of a timestamp. */
const dayOf = (day: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, day))
    .toISOString()
    .slice(0, 10)
}

/** Hits of as many visitors, for the account and the link, at noon of a day. */
async function store(day: number, hits: number, of = link) {
  await server.sql(
    `select app.store_hits(array[
        string_agg((extract(epoch from timestamptz '${dayOf(day)} 12:00Z') * 1000)::bigint::text, e'\n'), string_agg((n * 2 + 1)::text, e'\n'),
        string_agg(s.scope::text, e'\n'), string_agg(s.account::text, e'\n'),
        string_agg('0', e'\n'), string_agg('0', e'\n'), string_agg('0', e'\n'), string_agg('c', e'\n'), string_agg('l', e'\n')])
      from generate_series(1, ${hits}) n cross join app.click_scopes_of(array[$1::uuid]) s`,
    [of],
  )
}

const ofMonth = async (scope: 'account' | 'link') => {
  const [{ from, to } = { from: '', to: '' }] = await server.sql<{ from: string; to: string }>(
    `select '${dayOf(1)}T00:00:00Z' as from, to_char(date '${dayOf(1)}' + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"') as to`,
  )
  const about = scope === 'link' ? { scope, id: link } : { scope }
  const { clicks, visitors } = await reportOf(server, owner, { by: 'total', from, to, ...about })
  return { clicks, visitors }
}

const rolledUp = () =>
  server.sql(
    `select s.kind, r.grain::text, count(*)::int as n, sum(r.counted)::int as counted, sum(r.visitors)::int as visitors
    from app.click_rollups r join app.click_scopes s on s.id = r.scope where r.dimension = 'total' group by 1, 2 order by 1, 2`,
  )

it('a month has its busy days from the rollups and counts the others', async () => {
  await store(5, 600)
  await store(8, 7)
  for (let n = 0; n < 2; n++) await server.context.analytics.rollups.run()
  expect(await rolledUp()).toEqual([
    { kind: 'account', grain: 'd', n: 1, counted: 600, visitors: 600 },
    { kind: 'account', grain: 'm', n: 1, counted: 607, visitors: 607 },
    { kind: 'link', grain: 'd', n: 1, counted: 600, visitors: 600 },
    { kind: 'link', grain: 'm', n: 1, counted: 607, visitors: 607 },
  ])
  expect(await ofMonth('account')).toEqual({ clicks: 607, visitors: 607 })
  expect(await ofMonth('link')).toEqual({ clicks: 607, visitors: 607 })
})

it('hits that come late take their day and month out, and both come back with them', async () => {
  await store(5, 50)
  expect(await rolledUp()).toEqual([])
  expect(await ofMonth('link')).toEqual({ clicks: 657, visitors: 607 })
  for (let n = 0; n < 2; n++) await server.context.analytics.rollups.run()
  expect(await rolledUp()).toMatchObject([
    { kind: 'account', grain: 'd', counted: 650, visitors: 600 },
    { kind: 'account', grain: 'm', counted: 657, visitors: 607 },
    { kind: 'link', grain: 'd', counted: 650, visitors: 600 },
    { kind: 'link', grain: 'm', counted: 657, visitors: 607 },
  ])
})

it('a day that two servers take at once is rolled up once', async () => {
  await store(9, 600)
  await Promise.all(
    [1, 2, 3].map(() =>
      server.sql(
        `select app.roll_up(account, 'd', '${dayOf(9)}') from app.click_scopes_of(array['${link}'::uuid])`,
      ),
    ),
  )
  expect(await ofMonth('link')).toEqual({ clicks: 1_257, visitors: 1_207 })
})

it('an account with rollups that fail keeps none from the accounts after it', async () => {
  const next = await makeAccount(server, { plan: 'business' })
  const links = [{ code: 'after-it', url: 'https://example.com/' }]
  const [other] = await plantLinks(server.sql, links, next.id)
  const rolledLinks = async () => {
    for (let n = 0; n < 2; n++) await server.context.analytics.rollups.run()
    return server.sql(
      `select s.ref, r.grain::text, r.counted from app.click_rollups r join app.click_scopes s on s.id = r.scope
        where r.dimension = 'total' and s.kind = 'link' and (r.grain, r.day) in (('d', date '${dayOf(11)}'), ('m', '${dayOf(1)}'))
        order by s.id, r.grain`,
    )
  }
  await store(11, 600)
  await store(11, 700, other?.id)
  const [failing] = await server.sql<{ id: number }>(
    'select id from app.click_scopes where ref = $1',
    [owner.id],
  )
  await server.sql(`
    create function app.fail() returns trigger language plpgsql as $$ begin raise 'failed'; end $$;
    create trigger fail before insert on app.click_rollups for each row
      when (new.scope = ${failing?.id}) execute function app.fail()`)
  const ofNext = [
    { ref: other?.id, grain: 'd', counted: 700 },
    { ref: other?.id, grain: 'm', counted: 700 },
  ]
  expect(await rolledLinks()).toEqual(ofNext)
  await server.sql('drop trigger fail on app.click_rollups')
  expect(await rolledLinks()).toEqual([
    { ref: link, grain: 'd', counted: 600 },
    { ref: link, grain: 'm', counted: 1_857 },
    ...ofNext,
  ])
})

it('an account with hundreds of days keeps no other account waiting', async () => {
  const many = await makeAccount(server, { plan: 'business' })
  const few = await makeAccount(server, { plan: 'business' })
  const accountOf = async ({ id }: Account, days: number, until: number) => {
    const [made] = await server.sql<{ id: number }>(
      `with made as (insert into app.click_scopes (kind, ref, user_id) values ('account', $1, $1) returning id), days as (
        insert into app.click_account_days (account, day, received)
          select m.id, app.today() - $3::integer - n, 600 from made m, generate_series(1, $2::integer) n)
      select id from made`,
      [id, days, until],
    )
    return made?.id ?? 0
  }
  const busiest = await accountOf(many, 300, 30)
  const next = await accountOf(few, 3, 5)
  const due = () =>
    server.sql<{ account: number; grain: string; ago: number }>(
      `select account, grain::text, app.today() - day as ago from app.due_rollups(200) where account in ($1, $2)`,
      [busiest, next],
    )
  const days = await due()
  expect(days.filter(({ account }) => account === next).map(({ ago }) => ago)).toEqual([8, 7, 6])
  // The others are of the first account, its oldest ones in their order.
  const ofFirst = days.filter(({ account }) => account === busiest).map(({ ago }) => ago)
  expect(ofFirst.length).toBeGreaterThan(150)
  expect(ofFirst).toEqual(ofFirst.map((_, place) => 330 - place))
})
