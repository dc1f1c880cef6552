import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { send } from '#test/tables/accounts.ts'
import { give, makeAudience } from './give.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ rateLimits: true, trustedProxies: 1 })
})
afterAll(() => server.close())

it('a stranger who types an address again and again sends it six emails a day at most', async () => {
  const audience = await makeAudience(server)
  const settings = { _retention_days: null, _double_opt_in: true }
  await send(server, audience.owner, 'POST', 'rpc/save_audience', settings)
  const mails = async (email: string) =>
    (await server.sql('select id from app.mail_outbox where recipient = $1', [email])).length
  for (let typed = 1; typed <= 9; typed += 1) {
    const headers = { 'x-forwarded-for': `203.0.113.${typed}` }
    const answer = await give(server, audience, 'max@example.com', { headers })
    expect(answer.status).toBe(200)
    await server.sql(`update app.leads set asked_at = now() - interval '11 minutes'`)
    expect(await mails('max@example.com')).toBe(Math.min(typed, 6))
  }
  // Control: another address has its own limit.
  await give(server, audience, 'eva@example.com')
  expect(await mails('eva@example.com')).toBe(1)
})
