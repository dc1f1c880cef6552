/** @module-tag extended */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { webhookConfig } from './calls.ts'
import { examine, quietly, storm } from './storm.ts'

let server: TestServer
beforeAll(async () => {
  const { webhooks } = webhookConfig({
    timeoutMs: 400,
    leaseSeconds: 1.5,
    retryPausesSeconds: [0.05, 0.1, 0.3],
  })
  server = await startTestServer(quietly(webhooks))
})
afterAll(() => server.close())

// bench/webhooks.ts is the long form.
it('a webhook delivers each of 300 events, in order per link, across three kill -9 and a restarted receiver', async () => {
  const owner = await makeUser(server)
  const storming = { events: 300, links: 30, kills: 3, restarts: 1 }
  const { redirected, ...came } = await storm({ ...server, owner }, storming)
  const { copies: _copies, ...wrong } = examine(came, storming.events)
  expect(wrong).toEqual({ lost: 0, outOfOrder: 0, unverified: 0 })
  expect(redirected).toBe(0)

  // The controls: the receiver did not take every request, and what goes wrong is noticed.
  const { arrivals, secret } = came
  expect(arrivals.length).toBeGreaterThan(storming.events)
  const accepted = arrivals.filter((arrival) => arrival.accepted)
  const control = (arranged: typeof arrivals) =>
    examine({ secret, arrivals: arranged }, storming.events)
  const missing = accepted.filter(({ id }) => id !== accepted[0]?.id)
  expect(control(missing).lost).toBe(1)
  expect(control(accepted.toReversed()).outOfOrder).toBeGreaterThan(0)
  const changed = accepted.map((each) => ({ ...each, body: each.body.replace('https', 'http') }))
  expect(control(changed).unverified).toBe(accepted.length)
})
