import { afterEach, expect, it } from 'vitest'
import { DatabaseUnavailableError } from '#server/postgres/database.ts'
import { deliver, makePayer, openShop, post } from '#test/billing/shop.ts'
import { makeUser } from '#test/factories.ts'
import { aiConfig, askContent, askImage } from '#test/functions/calls.ts'
import { message, startProvider } from '#test/functions/provider.ts'
import { aReceipt, enqueue, mailConfig } from '#test/mail/mails.ts'
import { startSmtp } from '#test/mail/smtp.ts'
import { startTestServer } from '#test/server.ts'
import { scrape, withAdminPort } from './scrape.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

it('the page of metrics counts emails by outcome, and those that wait', async () => {
  const smtp = await startSmtp({
    refuseRecipient: (address) =>
      address.startsWith('gone') ? 550 : address.startsWith('later') ? 450 : undefined,
  })
  cleanups.push(smtp.close)
  const { mail } = mailConfig({ SMTP_URL: smtp.url, MAIL_FROM: 'Hop <mail@go.example>' })
  const server = await startTestServer({ ...withAdminPort, mail })
  cleanups.push(server.close)
  await enqueue(server, aReceipt('a'), aReceipt('b'), aReceipt('gone'), aReceipt('later'))
  await server.context.mail.drain()
  const metrics = await scrape(server)
  expect(metrics.value('hoplet_emails_total', { outcome: 'sent' })).toBe(2)
  expect(metrics.value('hoplet_emails_total', { outcome: 'given-up' })).toBe(1)
  expect(metrics.value('hoplet_emails_total', { outcome: 'retried' })).toBe(1)
  expect(metrics.value('hoplet_outbox_emails', { state: 'waiting' })).toBe(1)
  expect(metrics.value('hoplet_outbox_emails', { state: 'failed' })).toBe(1)
  await server.sql(
    `update app.mail_outbox set created_at = now() - interval '1 hour' where sent_at is null`,
  )
  const age = (await scrape(server)).value('hoplet_outbox_oldest_waiting_seconds')
  expect(age).toBeGreaterThanOrEqual(3_600)
  expect(age).toBeLessThan(3_600 + 600)
})

it('the page of metrics counts AI generations by task and outcome', async () => {
  const provider = await startProvider()
  cleanups.push(provider.close)
  const server = await startTestServer({
    ...withAdminPort,
    ...aiConfig(provider.baseUrl, {
      limits: { perPerson: 3, total: 100 },
      timeLimits: { text: 700, image: 700 },
    }),
  })
  cleanups.push(server.close)
  const ann = await makeUser(server)
  expect((await askContent(server, ann)).status).toBe(200)
  expect((await askImage(server, ann)).status).toBe(200)
  provider.say = () => ({ body: message('no JSON') })
  expect((await askContent(server, ann)).status).toBe(502)
  provider.say = () => 'never'
  expect((await askContent(server, ann)).status).toBe(502)
  await server.sql('update app.ai_usage set used = 3')
  expect((await askContent(server, ann)).status).toBe(429)
  const metrics = await scrape(server)
  const calls = (task: string, outcome: string) =>
    metrics.value('hoplet_ai_calls_total', { task, outcome })
  expect(calls('content', 'ok')).toBe(1)
  expect(calls('image', 'ok')).toBe(1)
  expect(calls('content', 'unreadable')).toBe(1)
  expect(calls('content', 'timeout')).toBe(1)
  expect(calls('content', 'person_limit')).toBe(1)
  expect(calls('design', 'ok')).toBe(0)
})

it('the page of metrics counts payment events and calls to the provider by outcome', async () => {
  const shop = await openShop(withAdminPort)
  cleanups.push(shop.close)
  await makePayer(shop)
  const event = shop.stripe.events.find(({ type }) => type === 'customer.subscription.created')
  if (!event) throw new Error('no event')
  await deliver(shop, event)
  await deliver(shop, event)
  await post(shop, JSON.stringify(event), 'forged')
  const metrics = await scrape(shop.server)
  const webhooks = ['applied', 'known', 'ignored', 'refused', 'failed'].map((outcome) =>
    metrics.value('hoplet_webhooks_total', { outcome }),
  )
  expect(webhooks).toEqual([1, 1, 0, 1, 0])
  const calls = (call: string, outcome: string) =>
    metrics.value('hoplet_payment_calls_total', { call, outcome })
  expect(calls('createCheckout', 'ok')).toBe(1)
  expect(calls('readSnapshot', 'ok')).toBeGreaterThanOrEqual(1)
  expect(calls('createCheckout', 'unreachable')).toBe(0)
})

it(
  'the page of metrics shows a database that is away, and the resulting failures',
  { tags: ['extended'] },
  async () => {
    const server = await startTestServer(withAdminPort)
    cleanups.push(server.close)
    const before = await scrape(server)
    expect(before.value('hoplet_database_up')).toBe(1)
    await expect
      .poll(
        async () =>
          (await scrape(server)).families.get('hoplet_database_heartbeat_seconds')?.samples,
      )
      .toHaveLength(1)
    const skew = (await scrape(server)).value('hoplet_database_clock_skew_seconds')
    expect(Math.abs(skew)).toBeLessThan(60)
    const failures = before.value('hoplet_database_failures_total', { pool: 'doors' })
    await expect(
      server.context.database.transactionAs({ role: 'anon' }, () =>
        Promise.reject(new DatabaseUnavailableError('gone')),
      ),
    ).rejects.toThrow('gone')
    const after = await scrape(server)
    expect(after.value('hoplet_database_failures_total', { pool: 'doors' })).toBe(failures + 1)
  },
)

it(
  'the page of metrics shows the calls that wait for a connection',
  { tags: ['extended'] },
  async () => {
    const server = await startTestServer({ ...withAdminPort, databasePoolSize: 2 })
    cleanups.push(server.close)
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const work = Array.from({ length: 5 }, () =>
      server.context.database.transactionAs({ role: 'anon' }, () => gate),
    )
    try {
      // Jobs of the server may wait with them.
      await expect
        .poll(() => server.context.database.load().doors.waiting)
        .toBeGreaterThanOrEqual(3)
      const metrics = await scrape(server)
      expect(metrics.value('hoplet_database_pool_size', { pool: 'doors' })).toBe(2)
      expect(metrics.value('hoplet_database_connections', { pool: 'doors', state: 'busy' })).toBe(2)
      expect(metrics.value('hoplet_database_waiting', { pool: 'doors' })).toBeGreaterThanOrEqual(3)
      expect(metrics.value('hoplet_metrics_part_read', { part: 'mail' })).toBe(0)
    } finally {
      release()
      await Promise.allSettled(work)
    }
  },
)
