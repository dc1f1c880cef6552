import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { webhookEventNames } from '#domain/webhooks.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { callWebhooks, webhookConfig } from './calls.ts'
import { type Receiver, startReceiver } from './receiver.ts'

let server: TestServer
let receiver: Receiver
let owner: TestUser
beforeAll(async () => {
  server = await startTestServer(webhookConfig({ timeoutMs: 1_000 }))
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
  owner = await makeUser(server, { plan: 'pro' })
})
afterEach(async () => {
  // Deliveries that go on hold the same rows, in another order: one of the two may be told of a deadlock.
  const clear = () => server.sql('delete from app.webhooks').then(() => 'cleared', String)
  await expect.poll(clear).toBe('cleared')
  await receiver.close()
})

const call = (method: string, path?: string, body?: unknown) =>
  callWebhooks(server, owner.headers, method, path, body)
const create = (events: readonly string[] = webhookEventNames, url = receiver.url) =>
  call('POST', '', { url, events })
const arrived = (count: number) =>
  expect.poll(() => receiver.arrivals.length).toBeGreaterThanOrEqual(count)
const bodies = () =>
  receiver.arrivals.map(({ body }) => JSON.parse(body) as { type: string; data: unknown })
const patch = (id: string, change: unknown) =>
  fetch(`${server.url}/rest/v1/shortened_urls?id=eq.${id}`, {
    method: 'PATCH',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
const remove = (id: string) =>
  fetch(`${server.url}/rest/v1/shortened_urls?id=eq.${id}`, {
    method: 'DELETE',
    headers: owner.headers,
  })
const newest = async (id: string) => {
  const { deliveries } = await call('GET', `/${id}/deliveries`)
  return deliveries[0]
}

it('a webhook sends events of a link, in order, signed so that the official library verifies it', async () => {
  const { secret, status, webhook } = await create()
  expect(status).toBe(201)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const link = await makeLink(server, owner)
  await patch(link.id, { original_url: 'https://example.com/b' })
  await remove(link.id)
  await arrived(3)
  const { id, short_code } = link
  expect(bodies()).toMatchObject([
    { type: 'link.created', data: { id, short_code, original_url: 'https://example.com/' } },
    {
      type: 'link.updated',
      data: {
        original_url: 'https://example.com/b',
        previous: { short_code, original_url: 'https://example.com/' },
      },
    },
    { type: 'link.deleted', data: { id, original_url: 'https://example.com/b' } },
  ])
  for (const { body, headers } of receiver.arrivals) {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    // The control: another body, or another secret, is refused.
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/signature/)
    expect(() => new Webhook('whsec_bm9uZQ==').verify(body, headers)).toThrow(/signature/)
  }
  // The secret is neither shown again nor readable in the database.
  expect(JSON.stringify(await call('GET'))).not.toContain(secret)
  const [row] = await server.sql<{ secret: string }>('select secret from app.webhooks')
  expect(row?.secret).toMatch(/^v1\./)
  expect((await call('GET', `/${webhook.id}/deliveries`)).deliveries).toMatchObject([
    { type: 'link.deleted', state: 'delivered', status: 200, attempts: 1 },
    { type: 'link.updated' },
    { type: 'link.created' },
  ])
})

it('a webhook sums up clicks, tells the plan, and says nothing of clicks to a plan that shows none', async () => {
  const { webhook } = await create(['clicks.recorded', 'plan.changed'])
  const link = await makeLink(server, owner)
  const visit = () =>
    fetch(`${server.url}/${link.short_code}`, {
      redirect: 'manual',
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Firefox/128.0' },
    })
  await Promise.all([visit(), visit(), visit()])
  const clicksOf = () =>
    (bodies() as { type: string; data: { targets: Record<string, number>[] } }[])
      .filter(({ type }) => type === 'clicks.recorded')
      .flatMap(({ data }) => data.targets)
  const sum = () =>
    clicksOf().reduce((all, { counted = 0, repeats = 0 }) => all + counted + repeats, 0)
  await expect.poll(sum).toBe(3)
  expect(clicksOf()[0]).toMatchObject({ kind: 'link', id: link.id, code: link.short_code })
  await server.sql(`update app.user_plans set plan_type = 'free' where user_id = $1`, [owner.id])
  await visit()
  await expect
    .poll(() => bodies().find(({ type }) => type === 'plan.changed')?.data)
    .toEqual({ plan: 'free', previous: 'pro' })
  await expect
    .poll(() => server.sql('select from app.webhook_clicks').then((rows) => rows.length))
    .toBe(0)
  await call('POST', `/${webhook.id}/test`)
  await expect.poll(() => bodies().at(-1)?.type).toBe('webhook.test')
  expect(sum()).toBe(3)
})

it('a webhook tells that a popup was given an email address', async () => {
  await create(['popup.email_given'])
  const [popup] = await server.sql<{ id: string }>(
    `insert into app.popups (user_id, title, cta_text, cta_url, collect_email)
      values ($1, 'News', 'Send', 'https://forms.example/', true) returning id`,
    [owner.id],
  )
  const link = await makeLink(server, owner)
  await patch(link.id, { show_popup: true, popup_id: popup?.id })
  const response = await fetch(`${server.url}/${link.short_code}/popup/emailed`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', 'user-agent': 'Mozilla/5.0 Firefox/128.0' },
  })
  expect(response.status).toBe(204)
  await arrived(1)
  expect(bodies()[0]).toMatchObject({
    type: 'popup.email_given',
    data: {
      popup: { id: popup?.id, title: 'News' },
      shown_on: { kind: 'link', id: link.id, code: link.short_code },
    },
  })
})

it('a webhook tries again with the same id and body, and holds up no other link', async () => {
  const { secret } = await create(['link.created'])
  const refused = new Set<string>()
  const [bad, good] = ['aaa', 'bbb'].map((word) => `https://example.com/${word}`)
  receiver.behave = ({ id, body }) => {
    if (!body.includes('aaa') || refused.has(`${id} 3`)) return 200
    refused.add(`${id} ${receiver.arrivals.filter((other) => other.id === id).length}`)
    return 500
  }
  await makeLink(server, owner, { original_url: bad ?? '' })
  await makeLink(server, owner, { original_url: good ?? '' })
  await arrived(5)
  const tries = receiver.arrivals.filter(({ body }) => body.includes('aaa'))
  expect(new Set(tries.map(({ id }) => id)).size).toBe(1)
  expect(new Set(tries.map(({ body }) => body)).size).toBe(1)
  expect(tries.map(({ accepted }) => accepted)).toEqual([false, false, false, true])
  for (const { body, headers } of tries) new Webhook(secret).verify(body, headers)
  expect(receiver.arrivals.findIndex(({ body }) => body.includes('bbb'))).toBeLessThan(4)
})

it('a webhook follows no redirect, reads 64 kB, and waits as long as it is set', async () => {
  const trap = await startReceiver()
  const { webhook } = await create(['link.created'])
  receiver.answerHeaders = { location: trap.url }
  const answers = [302, 307, 'hang', 'huge'] as const
  receiver.behave = () => answers[receiver.arrivals.length - 1] ?? 200
  await makeLink(server, owner)
  await expect.poll(async () => (await newest(webhook.id))?.state).toBe('delivered')
  expect(await newest(webhook.id)).toMatchObject({ attempts: 4, status: 200, error: null })
  expect(receiver.sentBytes).toBeLessThan(16 * 2 ** 20)
  expect(trap.connections).toBe(0)
  // The control: the trap is reachable.
  await fetch(trap.url, { method: 'POST' })
  expect(trap.connections).toBe(1)
  await trap.close()
})

it('a webhook signs with two secrets during a rotation', async () => {
  const { secret: first, webhook } = await create(['link.created'])
  const { secret: second } = await call('POST', `/${webhook.id}/rotate-secret`)
  expect(second).not.toBe(first)
  await makeLink(server, owner)
  await arrived(1)
  const verifies = (secret: string, index: number) => {
    const { body = '', headers = {} } = receiver.arrivals[index] ?? {}
    try {
      return Boolean(new Webhook(secret).verify(body, headers))
    } catch {
      return false
    }
  }
  expect([verifies(first, 0), verifies(second, 0)]).toEqual([true, true])
  await server.sql('update app.webhooks set previous_until = now()')
  await makeLink(server, owner)
  await arrived(2)
  expect([verifies(first, 1), verifies(second, 1)]).toEqual([false, true])
})

it('a webhook is switched off with a mail when nothing was accepted for three days', async () => {
  const { webhook } = await create(['link.created'])
  receiver.behave = () => 500
  await makeLink(server, owner)
  await arrived(1)
  const state = async () => (await call('GET')).webhooks.find(({ id }) => id === webhook.id)
  expect(await state()).toMatchObject({ is_enabled: true, waiting: 1 })
  await server.sql(`update app.webhook_events set first_attempt_at = now() - interval '3 days'`)
  await expect
    .poll(state)
    .toMatchObject({ is_enabled: false, disabled_reason: 'failing', waiting: 0 })
  const mails = await server.sql(
    `select from app.mail_outbox where template = 'webhook-disabled' and recipient = $1`,
    [owner.email],
  )
  expect(mails).toHaveLength(1)
  expect(await newest(webhook.id)).toMatchObject({ state: 'failed', status: 500 })

  // Off, it keeps nothing; on again, what failed can be sent again.
  await makeLink(server, owner)
  const [failed] = (await call('GET', `/${webhook.id}/deliveries`)).deliveries
  expect((await call('POST', `/${webhook.id}/deliveries/${failed?.id}/send`)).status).toBe(409)
  expect((await call('POST', `/${webhook.id}/test`)).status).toBe(409)
  receiver.behave = () => 200
  await call('POST', `/${webhook.id}/state`, { is_enabled: true })
  expect((await call('POST', `/${webhook.id}/deliveries/${failed?.id}/send`)).status).toBe(202)
  await expect.poll(async () => (await newest(webhook.id))?.state).toBe('delivered')
  expect((await call('GET', `/${webhook.id}/deliveries`)).deliveries).toHaveLength(1)
  expect(receiver.arrivals.at(-1)?.id).toBe(receiver.arrivals[0]?.id)
})

it(
  'a webhook gives up an event that is refused for three days while others are accepted, and stays on',
  { tags: ['extended'] },
  async () => {
    const { webhook } = await create(['link.created'])
    receiver.behave = ({ body }) => (body.includes('poison') ? 500 : 200)
    await makeLink(server, owner, { original_url: 'https://example.com/poison' })
    await arrived(1)
    await makeLink(server, owner)
    await arrived(2)
    await server.sql(
      `update app.webhook_events set first_attempt_at = now() - interval '3 days' where body like '%poison%'`,
    )
    await expect
      .poll(async () =>
        (await call('GET', `/${webhook.id}/deliveries`)).deliveries.map(({ state }) => state),
      )
      .toEqual(['delivered', 'failed'])
    expect((await call('GET')).webhooks[0]?.is_enabled).toBe(true)
  },
)

it('a webhook is switched off at once by 410, and waits as Retry-After says', async () => {
  const { webhook } = await create(['link.created'])
  receiver.answerHeaders = { 'retry-after': '3000' }
  receiver.behave = () => 429
  await makeLink(server, owner)
  await arrived(1)
  const state = async () => (await call('GET')).webhooks.find(({ id }) => id === webhook.id)
  await expect.poll(async () => (await state())?.paused_until).not.toBe(null)
  // Nothing else is sent meanwhile.
  await makeLink(server, owner)
  const pause = await server.sql<{ seconds: number }>(
    'select extract(epoch from paused_until - now())::float8 as seconds from app.webhooks',
  )
  expect(pause[0]?.seconds).toBeGreaterThan(2_900)
  expect(receiver.arrivals).toHaveLength(1)
  receiver.behave = () => 410
  await server.sql(
    `update app.webhooks set paused_until = null; update app.webhook_queues set next_attempt_at = now()`,
  )
  await expect.poll(state).toMatchObject({ is_enabled: false, disabled_reason: 'gone' })
})

it('a receiver that hangs holds up no other', async () => {
  const slow = await startReceiver()
  slow.behave = () => 'hang'
  for (let n = 0; n < 3; n++) await create(['link.created'], slow.url)
  await create(['link.created'])
  for (let n = 0; n < 20; n++) await makeLink(server, owner)
  await arrived(20)
  // All of this came while the slow ones had not answered anything.
  expect(slow.arrivals.every(({ accepted }) => !accepted)).toBe(true)
  await expect.poll(() => slow.arrivals.length).toBeGreaterThan(0)
  await slow.close()
})

it('ten receivers of one account that hang take few of the places, and each is asked', async () => {
  const patient = await startTestServer(webhookConfig({ timeoutMs: 20_000 }))
  const [many, other] = [
    await makeUser(patient, { plan: 'pro' }),
    await makeUser(patient, { plan: 'pro' }),
  ]
  const slow = await Promise.all(Array.from({ length: 10 }, () => startReceiver()))
  const create = ({ headers }: TestUser, { url }: Receiver) =>
    callWebhooks(patient, headers, 'POST', '', { url, events: ['link.created'] })
  for (const each of slow) {
    each.behave = () => 'hang'
    await create(many, each)
  }
  await create(other, receiver)
  for (let n = 0; n < 6; n++) await makeLink(patient, many)
  for (let n = 0; n < 6; n++) await makeLink(patient, other)
  const asked = () => slow.map(({ arrivals }) => arrivals.length)
  await expect.poll(() => Math.min(...asked())).toBeGreaterThan(0)
  // Helpers of an endpoint come with its first event, so they are all there by now.
  for (let n = 0; n < 6; n++) await makeLink(patient, other)
  await arrived(12)
  const taken = asked().reduce((sum, count) => sum + count)
  await Promise.all(slow.map((each) => each.close()))
  await patient.close()
  expect(taken).toBeLessThanOrEqual(16)
})

it('a webhook keeps no more than its bound, says so, and leaves clicks out first', async () => {
  const { webhook } = await create(['link.created', 'clicks.recorded'])
  receiver.behave = () => 500
  await server.sql(
    `insert into app.webhook_events (webhook_id, key, type, body)
      select $1, 'bulk', 'link.created', '{}' from generate_series(1, 1000)`,
    [webhook.id],
  )
  const queue = (type: string, most: number) =>
    server.sql(`select app.queue_for_webhook($1, $2, 'bulk', '{}', $3) as id`, [
      webhook.id,
      type,
      most,
    ])
  expect(await queue('clicks.recorded', 1_000)).toEqual([{ id: null }])
  expect(await queue('link.created', 20_000)).toEqual([{ id: expect.any(String) }])
  expect((await call('GET')).webhooks[0]).toMatchObject({ dropped: 1, waiting: 1_000 })
})

it('a webhook keeps at most 20 MB of waiting events per account, and 4 MB of each webhook that are done with', async () => {
  const { webhook } = await create(['link.created'])
  const { webhook: other } = await create(['link.updated'])
  receiver.behave = () => 500
  const plant = (id: string, count: number) =>
    server.sql(
      `insert into app.webhook_events (webhook_id, key, type, body)
        select $1, 'large', 'link.created', repeat('x', 100000) from generate_series(1, $2)`,
      [id, count],
    )
  const queue = () =>
    server.sql(`select app.queue_for_webhook($1, 'link.created', 'k', '{}', 20000) as id`, [
      webhook.id,
    ])
  await plant(other.id, 199)
  expect(await queue()).toEqual([{ id: expect.any(String) }])
  await plant(other.id, 1)
  expect(await queue()).toEqual([{ id: null }])
  // What a transaction queues itself counts too.
  await server.sql('delete from app.webhook_events where webhook_id = $1', [other.id])
  await plant(other.id, 199)
  const [{ queued } = { queued: 0 }] = await server.sql<{ queued: number }>(
    `select count(app.queue_for_webhook($1, 'link.created', 'k', to_json(repeat('y', 30000)), 20000))::int as queued
      from generate_series(1, 10)`,
    [webhook.id],
  )
  expect(queued).toBe(3)

  await call('POST', `/${other.id}/state`, { is_enabled: false })
  const [kept] = await server.sql(
    'select count(*)::int as events from app.webhook_events where webhook_id = $1',
    [other.id],
  )
  expect(kept).toEqual({ events: 40 })
})

it('a webhook is for the person alone, and at most ten', async () => {
  const { webhook } = await create(['link.created'])
  const other = await makeUser(server)
  const paths: [string, string, unknown?][] = [
    ['PUT', `/${webhook.id}`, { url: receiver.url, events: ['link.created'] }],
    ['POST', `/${webhook.id}/state`, { is_enabled: false }],
    ['POST', `/${webhook.id}/rotate-secret`],
    ['POST', `/${webhook.id}/test`],
    ['GET', `/${webhook.id}/deliveries`],
    ['GET', `/${webhook.id}/deliveries/1`],
    ['POST', `/${webhook.id}/deliveries/1/send`],
  ]
  for (const [method, path, body] of paths) {
    const anon = { apikey: server.anonKey, authorization: `Bearer ${server.anonKey}` }
    expect((await callWebhooks(server, anon, method, path, body)).status).toBe(401)
    expect((await callWebhooks(server, other.headers, method, path, body)).status).toBe(404)
  }
  await callWebhooks(server, other.headers, 'DELETE', `/${webhook.id}`)
  expect((await call('GET')).webhooks).toMatchObject([{ id: webhook.id, is_enabled: true }])

  const made = await Promise.all(Array.from({ length: 12 }, () => create(['plan.changed'])))
  expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    ...Array<number>(9).fill(201),
    ...Array<number>(3).fill(409),
  ])
  expect(made.find(({ status }) => status === 409)?.error).toMatch(/^You have 10 webhooks/)
})

it('a webhook can be changed, switched off and deleted; the deletion of an account leaves nothing', async () => {
  const { webhook } = await create(['link.created'])
  const changed = await call('PUT', `/${webhook.id}`, {
    url: `${receiver.url}/2`,
    description: 'For the shop',
    events: ['link.deleted', 'link.created'],
  })
  expect(changed.webhook).toMatchObject({
    url: `${receiver.url}/2`,
    description: 'For the shop',
    events: ['link.created', 'link.deleted'],
  })
  for (const body of [
    { url: 'ftp://example.com/', events: ['link.created'] },
    { url: receiver.url, events: [] },
    { url: receiver.url, events: ['link.exploded'] },
    { url: 'https://a:b@example.com/', events: ['link.created'] },
    { events: ['link.created'] },
  ])
    expect((await call('PUT', `/${webhook.id}`, body)).status).toBe(400)
  await call('POST', `/${webhook.id}/state`, { is_enabled: false })
  await makeLink(server, owner)
  expect((await call('GET', `/${webhook.id}/deliveries`)).deliveries).toEqual([])
  expect((await call('DELETE', `/${webhook.id}`)).status).toBe(200)
  expect((await call('GET')).webhooks).toEqual([])

  await create()
  await server.sql('delete from auth.users where id = $1', [owner.id])
  expect(await server.sql('select from app.webhooks')).toEqual([])
  expect(await server.sql('select from app.webhook_events')).toEqual([])
})
