import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import type { ClickReport } from './reports.ts'

let server: TestServer
let owner: Account
beforeAll(async () => {
  server = await startTestServer()
  owner = await makeAccount(server, { plan: 'business' })
})
afterAll(() => server.close())

describe('a report by day', () => {
  // Clocks in Cairo went forward at midnight before April 25.
  const range = { _from: '2025-04-23T00:00:00Z', _to: '2025-04-28T00:00:00Z' }
  it.each(['UTC', 'Africa/Cairo'])('has every day in a session of %s', async (zone) => {
    const question = { _scope: 'account', _by: 'day', ...range }
    const asked = { prefer: `timezone=${zone}` }
    const { body } = await send(server, owner, 'POST', 'rpc/click_report', question, asked)
    expect((body as ClickReport).rows.map(({ key }) => key)).toEqual(
      [23, 24, 25, 26, 27].map((day) => `2025-04-${day}T00:00:00Z`),
    )
  })
})
