import { afterAll, beforeAll, expect, it } from 'vitest'
import { clickDimensions } from '#domain/reports/hits.ts'
import { seededRandom } from '#test/seeded-random.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { reportOf } from '#test/analytics/reports.ts'
import { makeSpace } from './space-client.ts'

let server: TestServer
let source: Account
let target: Account
let links: string[]

beforeAll(async () => {
  server = await startTestServer()
  source = await makeAccount(server, { plan: 'business' })
  target = (await makeSpace(server, { owner: source })).owner
  target = { ...target, id: await accountOf(target) }
  const planted = await plantLinks(
    server.sql,
    Array.from({ length: 12 }, (_, n) => ({
      code: `moved-${n}`,
      url: `https://example.com/${n}`,
    })),
    source.id,
  )
  links = planted.map(({ id }) => id)
  await server.sql('select count(*) from app.click_scopes_of($1)', [links])
  await server.sql(
    `select app.make_click_months((app.today() - interval '4 months')::date, app.today())`,
  )
  await plantHits(20_000, 7)
})
afterAll(() => server.close())

async function accountOf(who: Account): Promise<string> {
  const { body } = await send(server, who, 'GET', 'members?select=account_id&limit=1')
  return (body as { account_id: string }[])[0]?.account_id ?? ''
}

/** Hits of random links, days, visitors, clients, places, origins and verdicts, with some busy days. */
async function plantHits(count: number, seed: number) {
  const random = seededRandom(seed)
  await server.sql('select setseed($1)', [random()])
  await server.sql(
    `select app.click_origins_of('[["a.example","a.example/x","mail","","spring","","","","",""],["b.example","b.example","","","","","","","",""]]'),
      app.click_places_of('[["DE","Berlin","Berlin"],["US","",""]]'),
      app.click_clients_of('[["mobile","Safari","iOS","de",""],["desktop","Firefox","Linux","en",""]]')`,
  )
  const numbers = Array.from({ length: count }, () => [
    // Most of them on few days and links.
    Math.floor(random() ** 3 * 80),
    Math.floor(random() * 86_400_000),
    Math.floor(random() ** 2 * links.length),
    Math.floor(random() * 4_000),
    Math.floor(random() * 3),
    'ccccccrrobpi'[Math.floor(random() * 12)] ?? 'c',
    'llqp'[Math.floor(random() * 4)] ?? 'l',
  ])
  const column = (n: number) => numbers.map((row) => row[n])
  await server.sql(
    `select app.keep_hits(array(
      select row(least(now() - interval '1 minute', (app.today() - h.day)::timestamp at time zone 'UTC' + h.ms * interval '1 millisecond'),
        h.visitor, s.scope, s.account, h.dictionary, h.dictionary, h.dictionary, h.verdict::"char", h.source::"char")::app.click_events
      from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::int[], $6::text[], $7::text[])
          h (day, ms, link, visitor, dictionary, verdict, source)
        join unnest($8::uuid[]) with ordinality l (id, n) on l.n = h.link + 1
        join app.click_scopes_of($8) s on s.ref = l.id))`,
    [column(0), column(1), column(2), column(3), column(4), column(5), column(6), links],
  )
}

const range = {
  from: new Date(Date.now() - 90 * 86_400_000).toISOString(),
  to: new Date(Date.now() + 3_600_000).toISOString(),
  include: ['repeats', 'own', 'bots', 'imported'],
}

/** Reports of an account: totals, by day and month, each dimension, filtered ones, and of each link. */
async function reportsOf(who: Account, ofLinks: readonly string[]) {
  const { from, to, include } = range
  const ask = (query: object) => reportOf(server, who, { by: 'total', from, to, include, ...query })
  const exact = { exact: true }
  const all = []
  for (const by of ['total', 'day', 'month', 'weekhour', ...clickDimensions])
    all.push(await ask({ by, ...exact }))
  for (const by of ['total', 'country']) {
    all.push(await ask({ by, filters: { country: ['DE'] }, ...exact }))
    // Estimated ones read the samples.
    all.push(await ask({ by, filters: { browser: ['Safari'] } }))
  }
  for (const id of ofLinks)
    for (const by of ['total', 'day', 'country'])
      all.push(await ask({ scope: 'link', id, by, ...exact }))
  const { body: integrity } = await send(server, who, 'POST', 'rpc/click_integrity')
  return { all, integrity }
}

const received = async (account: string) =>
  server.sql(
    `select d.day::text, d.received::int, d.imported::int from app.click_account_days d
      join app.click_scopes s on s.id = d.account where s.ref = $1 and d.received > 0 order by 1`,
    [account],
  )
const stored = async (account: string) =>
  server.sql(
    `select (e.at at time zone 'UTC')::date::text as day, count(*)::int as received,
        (count(*) filter (where e.verdict = 'i'))::int as imported
      from app.click_events e join app.click_scopes s on s.id = e.account where s.ref = $1 group by 1 order by 1`,
    [account],
  )
const samples = async (account: string) =>
  server.sql(
    `select count(*)::int as n from app.click_samples e join app.click_scopes s on s.id = e.account where s.ref = $1`,
    [account],
  )

const move = async (who: Account, ids: readonly string[], to: string) => {
  const { status, body } = await send(server, who, 'POST', 'rpc/move_links', {
    _links: ids,
    _to_account: to,
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
}
const rollUp = async () => {
  for (let n = 0; n < 3; n++) await server.context.analytics.rollups.run()
}

it('a move and a move back leave every report equal', async () => {
  await rollUp()
  const before = await reportsOf(source, links)
  const sampled = await samples(source.id)
  await move(source, links, target.id)
  await server.context.analytics.moves.run()
  expect(await stored(source.id)).toEqual([])
  expect(await received(source.id)).toEqual([])
  expect(await received(target.id)).toEqual(await stored(target.id))
  await rollUp()
  const there = await reportsOf(target, links)
  expect(there.all).toEqual(before.all)
  expect(await samples(target.id)).toEqual(sampled)
  await move(target, links, source.id)
  await server.context.analytics.moves.run()
  // Also before the rollups are made again.
  expect((await reportsOf(source, links)).all).toEqual(before.all)
  await rollUp()
  expect(await reportsOf(source, links)).toEqual(before)
  expect(await samples(source.id)).toEqual(sampled)
})

it('each hit counts for one account after every step, and a step that is cut off is done again', async () => {
  const half = links.slice(0, 6)
  const total = (await stored(source.id)).reduce((sum, row) => sum + Number(row['received']), 0)
  const pause = () =>
    server.sql(`select app.take_lease('link-moves', '00000000-0000-4000-8000-000000000001', 60)`)
  await pause()
  await move(source, half, target.id)
  const [{ id } = { id: '' }] = await server.sql<{ id: string }>(
    `select id from app.link_moves where state = 'arriving'`,
  )
  // Nothing is rolled up for either account meanwhile.
  expect(await server.sql('select * from app.due_rollups(100)')).toEqual([])
  for (let state = 'more'; state === 'more';) {
    // A process that is killed in a step leaves none of it.
    await server
      .sql(`do $$ begin perform app.move_hits('${id}', 700); raise exception 'killed'; end $$`)
      .catch(() => {})
    // Null while the one that was killed still holds the row.
    const step = 'select app.move_hits($1, 700) as state'
    const [row] = await server.sql<{ state: string | null }>(step, [id])
    state = row?.state ?? 'more'
    const both = [source.id, target.id]
    for (const account of both) expect(await received(account)).toEqual(await stored(account))
    const sums = await Promise.all(both.map((account) => stored(account)))
    expect(sums.flat().reduce((sum, day) => sum + Number(day['received']), 0)).toBe(total)
  }
  await server.sql(`delete from app.leases where name = 'link-moves'`)
  expect(await server.sql('select * from app.link_move_links')).toEqual([])
  // Links in other accounts keep their hits.
  const [{ n } = { n: 0 }] = await server.sql<{ n: number }>(
    `select count(*)::int as n from app.click_events e join app.click_scopes s on s.id = e.scope
      join app.click_scopes a on a.id = e.account where a.ref <> s.user_id`,
  )
  expect(n).toBe(0)
})

it('hits that are on their way go with the account that is deleted', async () => {
  const person = await makeAccount(server, { plan: 'business' })
  const space = await makeSpace(server, { owner: person })
  const kept = (await makeSpace(server, { owner: person })).id
  const planted = await plantLinks(
    server.sql,
    [{ code: 'leaving', url: 'https://example.com/leaving' }],
    space.id,
  )
  const ids = planted.map(({ id }) => id)
  const [scopes] = await server.sql<{ scope: number; account: number }>(
    'select scope, account from app.click_scopes_of($1)',
    [ids],
  )
  await server.sql(
    `select app.keep_hits(array(select row(now() - n * interval '1 hour', n, $1, $2, 0, 0, 0, 'c', 'l')::app.click_events
      from generate_series(1, 300) n))`,
    [scopes?.scope, scopes?.account],
  )
  await server.sql(
    `select app.take_lease('link-moves', '00000000-0000-4000-8000-000000000001', 60)`,
  )
  await move(space.owner, ids, kept)
  // The former account goes: the hits arrive all the same.
  expect(
    (await send(server, space.owner, 'POST', 'rpc/delete_space', { _slug: space.slug })).status,
  ).toBe(204)
  const erase = () =>
    server.sql(`select app.delete_old_clicks(5000, '{"free":90,"pro":400,"business":800}')`)
  await erase()
  const hits = async () =>
    server.sql('select count(*)::int as n from app.click_events where scope = $1', [scopes?.scope])
  expect(await hits()).toEqual([{ n: 300 }])
  await server.sql(`delete from app.leases where name = 'link-moves'`)
  await server.context.analytics.moves.run()
  await erase()
  expect(await hits()).toEqual([{ n: 300 }])
  expect(
    await server.sql('select 1 from app.click_erasures where account = $1', [scopes?.account]),
  ).toEqual([])

  // The new account goes: they arrive and are erased with it.
  const doomed = await makeSpace(server, { owner: person })
  const mine = await plantLinks(
    server.sql,
    [{ code: 'doomed', url: 'https://example.com/doomed' }],
    person.id,
  )
  const [mineScope] = await server.sql<{ scope: number; account: number }>(
    'select scope, account from app.click_scopes_of($1)',
    [mine.map(({ id }) => id)],
  )
  await server.sql(
    `select app.keep_hits(array(select row(now() - n * interval '1 hour', n, $1, $2, 0, 0, 0, 'c', 'l')::app.click_events
      from generate_series(1, 300) n))`,
    [mineScope?.scope, mineScope?.account],
  )
  await server.sql(
    `select app.take_lease('link-moves', '00000000-0000-4000-8000-000000000001', 60)`,
  )
  await move(
    person,
    mine.map(({ id }) => id),
    doomed.id,
  )
  expect(
    (await send(server, doomed.owner, 'POST', 'rpc/delete_space', { _slug: doomed.slug })).status,
  ).toBe(204)
  await erase()
  await server.sql(`delete from app.leases where name = 'link-moves'`)
  await server.context.analytics.moves.run()
  await erase()
  expect(
    await server.sql('select 1 from app.click_events where scope = $1', [mineScope?.scope]),
  ).toEqual([])
  expect(await received(person.id)).toEqual([])
})
