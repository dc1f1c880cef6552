import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyClicks } from '#server/visits/apply-clicks.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { clicksOn, prepare } from './hits.ts'
import { plantLinks } from './plant.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

it('two servers count the same 200 links at once, in opposite orders, 20 times without a deadlock', async () => {
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
        await database.transactionAs({ role: 'hoplet_visits' }, (db) =>
          applyClicks(db, clicksOn(targets), prepared),
        )
      }),
    )
  }
  const counts = await server.sql(
    'select click_count::int as n, count(*)::int as links from app.shortened_urls group by 1',
  )
  expect(counts).toEqual([{ n: 40, links: 200 }])
})
