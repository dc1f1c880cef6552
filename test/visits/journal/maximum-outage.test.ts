import pg from 'pg'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { endSharedServer } from '#test/shared-server.ts'
import { plantLinks } from '../plant.ts'
import { visit } from '../visit.ts'

let server: TestServer
beforeAll(endSharedServer)
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await server.close()
})

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 240_000 })

/** From outside the database, so that the database can be away. */
async function asSuperuser(...statements: string[]): Promise<void> {
  const url = new URL(server.superuserUrl)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const databaseName = () => new URL(server.databaseUrl).pathname.slice(1)
const takeAway = () =>
  asSuperuser(
    `alter database ${databaseName()} allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${databaseName()}'`,
  )
const giveBack = () => asSuperuser(`alter database ${databaseName()} allow_connections true`)

const realNow = performance.now.bind(performance)

/** Moves the clock of durations ahead of the start of the test. */
function letPass(seconds: number): void {
  vi.spyOn(performance, 'now').mockImplementation(() => realNow() + seconds * 1_000)
}

const statusesOf = async (code: string, visits: number) => {
  const statuses: number[] = []
  for (let i = 0; i < visits; i++) statuses.push((await visit(server.url, `/${code}`)).status)
  return statuses
}

describe('while the database is away, a link with a maximum', () => {
  it('gives no click out again after quiet minutes, nor when the database is back', async () => {
    const links = await plantLinks(server.sql, [
      { code: 'few', url: 'https://example.com/' },
      { code: 'many', url: 'https://example.com/' },
    ])
    await server.sql(`update app.shortened_urls set max_clicks =
      case short_code when 'few' then 3 else 1000 end`)
    expect(await statusesOf('few', 1)).toEqual([302])
    expect(await statusesOf('many', 1)).toEqual([302])
    await takeAway()
    expect(await statusesOf('few', 3)).toEqual([302, 302, 410])
    for (const seconds of [66, 200, 4_000]) {
      letPass(seconds)
      expect(await statusesOf('few', 2)).toEqual([410, 410])
      expect(await statusesOf('many', 1)).toEqual([302])
    }
    await giveBack()
    await eventually(async () => {
      expect(await statusesOf('few', 1)).toEqual([410])
      const rows = await server.sql<{ clicks: number }>(
        `select click_count::int as clicks from app.shortened_urls where id = $1`,
        [links[0]?.id],
      )
      expect(rows).toEqual([{ clicks: 3 }])
    })
    expect(await statusesOf('few', 2)).toEqual([410, 410])
    // The owner's change is seen.
    await server.sql(`update app.shortened_urls set max_clicks = 5 where short_code = 'few'`)
    await eventually(async () => expect((await visit(server.url, '/few')).status).toBe(302))
    expect(await statusesOf('few', 2)).toEqual([302, 410])
  })
})
