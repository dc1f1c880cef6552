import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { clicksOn, prepare } from './hits.ts'
import { plantLinks } from './plant.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

it(
  'two servers count the same 200 links at once, in opposite orders, 20 times without a deadlock',
  { tags: ['extended'] },
  async () => {
    const links = await plantLinks(
      server.sql,
      Array.from({ length: 200 }, (_, n) => ({ code: `turn-${n}`, url: 'https://example.com/' })),
    )
    const there = links.map((link) => link.id)
    const back = there.toReversed()
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        [there, back].map(async (targets) => {
          const { database } = server.context
          const prepared = await prepare(database, clicksOn(targets))
          await database.transactionAs({ role: 'hoplet_visits' }, (db) => prepared.apply(db))
        }),
      )
    }
    const counts = await server.sql(
      'select click_count::int as n, count(*)::int as links from app.shortened_urls group by 1',
    )
    expect(counts).toEqual([{ n: 40, links: 200 }])
  },
)

it(
  'two servers meet the same 200 new sources at once, in opposite orders, 10 times without a deadlock',
  { tags: ['extended'] },
  async () => {
    const [link] = await plantLinks(server.sql, [{ code: 'sources', url: 'https://example.com/' }])
    const clicks = clicksOn(Array.from({ length: 200 }, () => link?.id ?? ''))
    for (let round = 0; round < 10; round++) {
      const there = clicks.targets.map((_, n) => `https://site-${n}.example/${round}`)
      await Promise.all(
        [there, there.toReversed()].map(async (referrers, half) => {
          const { database } = server.context
          const visitors = referrers.map((_, n) => 1 + n + 1_000 * half)
          const prepared = await prepare(database, { ...clicks, referrers, visitors })
          await database.transactionAs({ role: 'hoplet_visits' }, (db) => prepared.apply(db))
        }),
      )
    }
    const sources = await server.sql(
      `select count(*)::int as n, count(distinct o.page)::int as pages from app.click_events e join app.click_scopes s on s.id = e.scope
      join app.click_origins o on o.id = e.origin where s.ref = $1 and o.page like 'site-%'`,
      [link?.id],
    )
    expect(sources).toEqual([{ n: 4_000, pages: 2_000 }])
  },
)
