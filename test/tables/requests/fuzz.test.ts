/** @module-tag extended */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { sendStrangeRequests } from './strange-requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

it('the table door answers 5,000 strange requests without one internal error, as four roles and keys with each scope', async () => {
  const { statuses, rows, served, statements } = await sendStrangeRequests(server, 5_000)
  expect(rows).toBeLessThanOrEqual(1_000)
  // The requests must not all die in the parser, or this shows nothing.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(300)
  const byKeys = [...served].filter(([name]) => name.startsWith('key '))
  expect(byKeys.reduce((sum, [, n]) => sum + n, 0)).toBeGreaterThan(20)
  expect(statements).toBeGreaterThan(100)
  expect(
    await server.sql(
      `select 1 from pg_tables where schemaname = 'app' and tablename in ('popups', 'names')`,
    ),
  ).toHaveLength(2)
})
