import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { plantBio } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { visit } from '#test/visits/visit.ts'
import { aiConfig, askContent, askImage } from './calls.ts'
import { type FakeProvider, startProvider } from './provider.ts'

let provider: FakeProvider
let server: TestServer
let people: TestUser[]
beforeAll(async () => {
  provider = await startProvider()
  provider.say = () => 'never'
  const limits = { perPerson: 20, total: 100 }
  const timeLimits = { text: 20_000, image: 20_000 }
  server = await startTestServer(aiConfig(provider.baseUrl, { limits, timeLimits }))
  people = await Promise.all(Array.from({ length: 4 }, () => makeUser(server)))
})
afterAll(async () => {
  await provider.close()
  await server.close()
})

it('the server answers for links, pages and tables at normal speed while 20 calls hang at the provider', async () => {
  const [ann] = people
  if (!ann) throw new Error('no user')
  const link = await makeLink(server, ann, { original_url: 'https://example.com/calm' })
  const bio = await plantBio(server.sql)
  let ended = 0
  const calls = people.flatMap((person) =>
    [askContent, askContent, askContent, askImage, askImage].map((ask) =>
      ask(server, person).finally(() => ended++),
    ),
  )
  await expect.poll(() => provider.calls.length, { timeout: 240_000 }).toBe(20)

  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all([
      visit(server.url, `/${link.short_code}`),
      visit(server.url, `/${bio.slug}`),
      visit(server.url, `/never-seen-${round}`),
      fetch(`${server.url}/rest/v1/shortened_urls?select=id`, { headers: ann.headers }),
      fetch(`${server.url}/auth/v1/user`, { headers: ann.headers }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([302, 200, 302, 200, 200])
  }
  // No connection to the database waits with them.
  const open = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`
  await expect.poll(async () => (await server.sql(open)).length).toBe(0)
  // The control: they hang to this moment, and end when the provider does.
  expect(ended).toBe(0)
  await provider.close()
  const statuses = new Set((await Promise.all(calls)).map(({ status }) => status))
  expect(ended).toBe(20)
  expect([...statuses].every((status) => status >= 500)).toBe(true)
})
