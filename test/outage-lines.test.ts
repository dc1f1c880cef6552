import pg from 'pg'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { plantLinks } from './visits/plant.ts'
import { visit } from './visits/visit.ts'
import { recordLog } from './record-log.ts'
import { startTestServer, type TestServer } from './server.ts'
import { endSharedServer } from './shared-server.ts'

let server: TestServer
beforeAll(endSharedServer)
afterEach(() => server.close())

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

const name = () => new URL(server.databaseUrl).pathname.slice(1)

it('an outage of the database is one line in the log, and its end is one', async () => {
  const { log, lines, messages } = recordLog()
  server = await startTestServer({}, {}, log)
  await plantLinks(server.sql, [{ code: 'known', url: 'https://example.com/' }])
  expect((await visit(server.url, '/known')).status).toBe(302)
  const request = (path: string, init?: RequestInit) => fetch(server.url + path, init)
  const countOf = (message: string) => messages().filter((each) => each === message).length

  for (const outages of [1, 2]) {
    await asSuperuser(
      `alter database ${name()} allow_connections false`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name()}'`,
    )
    const headers = { apikey: server.anonKey, 'content-type': 'application/json' }
    const body = JSON.stringify({ email: 'a@example.com', password: 'long enough 1' })
    const signIn = () =>
      request('/auth/v1/token?grant_type=password', { method: 'POST', headers, body })
    const statuses = await Promise.all(
      [1, 2, 3].flatMap(() => [
        signIn(),
        request('/rest/v1/links', { headers }),
        request('/unknown'),
        request('/media/0123456789abcdef'),
      ]),
    )
    expect(statuses.map(({ status }) => status)).toContain(503)
    expect((await visit(server.url, '/known')).status).toBe(302)
    expect(countOf('the database does not answer')).toBe(outages)
    await asSuperuser(`alter database ${name()} allow_connections true`)
    await vi.waitFor(
      async () => {
        await request('/rest/v1/links', { headers })
        expect(countOf('the database answers again')).toBe(outages)
      },
      { timeout: 240_000 },
    )
  }
  // The access log goes on; no other line is about the outage.
  const about = lines.filter((line) => line['level'] === 'warn' || line['level'] === 'error')
  expect(about.map(({ msg }) => msg)).toEqual(Array(2).fill('the database does not answer'))
  expect(about[0]?.['reason']).toMatch(/terminat|connection/)
  expect(lines.filter((line) => 'err' in line)).toEqual([])
})
