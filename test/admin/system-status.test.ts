import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts } from '#test/tables/accounts.ts'
import { makeAdmin } from './calls.ts'

let server: TestServer
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAdmin(server)
})
afterAll(() => server.close())

type Part = { ok: boolean; error?: string } & Record<string, unknown>

async function ask(who: Pick<Account, 'headers'>, from = server) {
  const response = await fetch(`${from.url}/functions/v1/system-status`, {
    method: 'POST',
    headers: who.headers,
  })
  return { status: response.status, body: (await response.json()) as Record<string, Part> }
}

it('the system status tells an admin the state of every part', async () => {
  await server.sql(
    `insert into app.mail_outbox (key, template, recipient, next_attempt_at) values ('one', 'receipt', 'a@example.com', now() + interval '1 day')`,
  )
  const { status, body } = await ask(admin)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    database: {
      ok: true,
      sizeBytes: expect.any(Number),
      connections: expect.any(Number),
      maxConnections: expect.any(Number),
    },
    migrations: { ok: true, applied: expect.any(Number), pending: [] },
    clicks: {
      ok: true,
      mode: 'journal',
      segments: expect.any(Number),
      journalBytes: expect.any(Number),
      oldestWaitingSeconds: null,
    },
    outbox: { ok: true, waiting: 1, failed: 0, oldestWaitingSeconds: expect.any(Number) },
    webhooks: { ok: true, lastReceivedAt: null, events24h: 0 },
    reconcile: { ok: true },
    disk: { freeBytes: expect.any(Number), totalBytes: expect.any(Number) },
    versions: {
      ok: true,
      hoplet: expect.stringMatching(/^\d+\.\d+\.\d+/),
      node: process.versions.node,
    },
  })
})

it('system status lists the problems for an operator', async () => {
  await server.sql(
    `insert into app.mail_outbox (key, template, recipient, created_at, next_attempt_at) values ('old', 'receipt', 'a@example.com', now() - interval '1 hour', now() + interval '1 day')`,
  )
  await server.sql(
    `insert into app.billing_reconciles (provider, finished_at, drift, error) values ('stripe', now(), 3, 'Stripe did not answer')`,
  )
  await server.sql(
    `insert into app.billing_events (provider, event_id, type, result, created_at) values ('stripe', 'evt_1', 'invoice.paid', 'applied', now() - interval '7 seconds')`,
  )
  const { body } = await ask(admin)
  expect(body).toMatchObject({
    outbox: { ok: false, error: 'Mail waits for the mail server', waiting: 2 },
    reconcile: { ok: false, error: 'Stripe did not answer', drift: 3 },
    webhooks: { ok: true, events24h: 1, longestLagSeconds24h: 7 },
  })
})

it('a failing part hides no other part, and reveals no secrets', async () => {
  const own = await startTestServer()
  try {
    const [one] = await makeAccounts(own, 1, { role: 'admin' })
    if (!one) throw new Error('an account')
    await own.sql('drop table app.mail_outbox cascade')
    const { status, body } = await ask(one, own)
    expect(status).toBe(200)
    expect(body.outbox).toEqual({ ok: false, error: 'This could not be read (42P01)' })
    expect(body).toMatchObject({
      database: { ok: true },
      clicks: { ok: true },
      webhooks: { ok: true },
    })
  } finally {
    await own.close()
  }
})

it('the system status is for admins', async () => {
  expect(await ask(await makeAccount(server))).toEqual({
    status: 403,
    body: { error: 'Only admins may do this' },
  })
})
