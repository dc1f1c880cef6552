import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount } from '#test/tables/accounts.ts'
import { hoursAgo, reportOf, type ReportQuery } from './reports.ts'

// Reports with a filter over more hits than are counted one by one: 320,000 of 80,000 visitors, half of them German.

const hits = 320_000
const visitors = 80_000

let server: TestServer
let owner: Account
beforeAll(async () => {
  server = await startTestServer()
  owner = await makeAccount(server, { plan: 'pro' })
  await server.sql(`insert into app.click_scopes (kind, ref, user_id) values ('account', $1, $1)`, [
    owner.id,
  ])
  await server.sql(`insert into app.click_places (country, region, city) values ('DE', '', '')`)
  // As an applier stores them, 20,000 at a time. Each visitor comes four times from one country.
  for (let from = 0; from < hits; from += 20_000)
    await server.sql(`
      select app.store_hits(array[
        string_agg((extract(epoch from now()) * 1000 - n / 100)::bigint::text, e'\n'),
        string_agg(v.visitor::text, e'\n'), string_agg(s.id::text, e'\n'), string_agg(s.id::text, e'\n'),
        string_agg('0', e'\n'), string_agg(case when n % 2 = 0 then p.id else 0 end::text, e'\n'), string_agg('0', e'\n'),
        string_agg('c', e'\n'), string_agg('l', e'\n')])
      from generate_series(${from}, ${from + 19_999}) n
        cross join lateral (select hashint8extended(n % ${visitors}, 7) as visitor) v
        cross join (select id from app.click_scopes) s cross join (select id from app.click_places where country = 'DE') p`)
})
afterAll(() => server.close())

const german: Omit<ReportQuery, 'by'> = {
  from: hoursAgo(24),
  to: hoursAgo(-1),
  filters: { country: ['DE'] },
}

it('a filtered report of many hits is estimated from a sample, says so, and is counted when asked', async () => {
  const estimate = await reportOf(server, owner, { by: 'total', ...german })
  expect(estimate.sampled).toBe(32)
  // One visitor in 32 of 40,000: a standard deviation is 2.8 %, and the visitors are always the same.
  expect(Math.abs(estimate.clicks / (hits / 2) - 1)).toBeLessThan(0.1)
  expect(estimate.clicks).not.toBe(hits / 2)
  expect(Math.abs((estimate.visitors ?? 0) / (visitors / 2) - 1)).toBeLessThan(0.1)
  expect(await reportOf(server, owner, { by: 'total', ...german, exact: true })).toMatchObject({
    sampled: null,
    clicks: hits / 2,
    visitors: visitors / 2,
  })
})

it('a filter that no visitor of the sample meets is an estimate all the same', async () => {
  const filters = { country: ['XX'] }
  expect(await reportOf(server, owner, { by: 'browser', ...german, filters })).toMatchObject({
    sampled: 32,
    clicks: 0,
  })
})

it('a report without a filter is never estimated', async () => {
  expect(
    await reportOf(server, owner, { by: 'country', from: hoursAgo(24), to: hoursAgo(-1) }),
  ).toMatchObject({ sampled: null, clicks: hits })
})

it('samples hold the hits of one visitor in 32, and of one in 512', async () => {
  const [stored] = await server.sql<{ one: number; other: number; each: number[] }>(
    `select count(*) filter (where rate = 32)::int as one, count(*) filter (where rate = 512)::int as other, array_agg(distinct n)::int[] as each
    from (select visitor, rate, count(*) as n from app.click_samples group by 1, 2) s`,
  )
  // All hits of a visitor, or none.
  expect(stored?.each).toEqual([4])
  expect(Math.abs(Number(stored?.one) / (visitors / 32) - 1)).toBeLessThan(0.1)
  expect(Math.abs(Number(stored?.other) / (visitors / 512) - 1)).toBeLessThan(0.3)
})
