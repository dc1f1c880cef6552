import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { give, makeAudience, type Audience } from '#test/leads/give.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { postToEndpoint } from '#server/webhooks/post.ts'
import { callWebhooks, webhookConfig } from './calls.ts'
import { type Receiver, startReceiver } from './receiver.ts'

// Small servers in the place of the providers, written from their published APIs: POST /v3/contacts of Brevo,
// POST /3.0/lists/{id}/members of Mailchimp, POST /api/subscribers of listmonk.

let server: TestServer
let receiver: Receiver
let audience: Audience
const { webhooks: usual } = webhookConfig({ timeoutMs: 1_000 })
beforeAll(async () => {
  receiver = await startReceiver()
  const origin = new URL(receiver.url).origin
  server = await startTestServer({
    webhooks: { ...usual, providerHosts: { brevo: origin, mailchimp: `${origin}/{dc}` } },
  })
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})
beforeEach(async () => {
  receiver.arrivals.length = 0
  receiver.behave = () => 200
  audience = await makeAudience(server)
})
afterEach(() => server.sql('delete from app.webhooks'))

const add = (provider: object, url = '') =>
  callWebhooks(server, audience.owner.headers, 'POST', '', {
    url,
    events: ['lead.created'],
    provider,
  })
const arrived = (count: number) => expect.poll(() => receiver.arrivals.length).toBe(count)
const states = async () =>
  (
    await server.sql<{ state: string }>(
      `select e.state from app.webhook_events e join app.webhooks w on w.id = e.webhook_id where w.user_id = $1`,
      [audience.owner.id],
    )
  ).map(({ state }) => state)

it.each([
  [
    'brevo',
    { key: 'xkeysib-1', list: '7' },
    { 'api-key': 'xkeysib-1' },
    { email: 'ann@example.com', listIds: [7], updateEnabled: true },
  ],
  [
    'mailchimp',
    { key: 'abc-us21', list: 'a1b2c3' },
    { authorization: `Basic ${Buffer.from('hoplet:abc-us21').toString('base64')}` },
    { email_address: 'ann@example.com', status: 'subscribed', tags: [] },
  ],
  [
    'listmonk',
    { key: 'hoplet:token', list: '3' },
    { authorization: 'token hoplet:token' },
    {
      email: 'ann@example.com',
      name: 'ann@example.com',
      status: 'enabled',
      lists: [3],
      preconfirm_subscriptions: true,
    },
  ],
] as const)('%s gets an address by its API', async (kind, settings, headers, body) => {
  const made = await add({ kind, ...settings }, new URL(receiver.url).origin)
  expect([made.status, made.secret]).toEqual([201, undefined])
  expect(made.webhook).toMatchObject({ provider: kind, list: settings.list })
  expect(JSON.stringify(made)).not.toContain(settings.key)
  await give(server, audience, 'ann@example.com')
  await arrived(1)
  const [arrival] = receiver.arrivals
  expect(arrival?.headers).toMatchObject(headers)
  expect(arrival?.headers['webhook-signature']).toBeUndefined()
  expect(JSON.parse(arrival?.body ?? '')).toEqual(body)
  await expect.poll(states).toEqual(['delivered'])
})

it('an address waits while a provider is down, and an address that it has already is delivered', async () => {
  await add({ kind: 'listmonk', key: 'hoplet:token', list: '3' }, new URL(receiver.url).origin)
  receiver.behave = () => (receiver.arrivals.length < 4 ? 503 : 409)
  await give(server, audience, 'ann@example.com')
  await expect.poll(states).toEqual(['delivered'])
  expect(receiver.arrivals.length).toBeGreaterThanOrEqual(4)
})

it('a key that no header can have is refused, and a stored one fails instead of being tried for ever', async () => {
  const origin = new URL(receiver.url).origin
  for (const key of [
    'xkeysib\u2028-1',
    'sch\u00fcssel\u20ac',
    'two words',
    'tab\tkey',
    'nul\u0000-1',
  ])
    expect(await add({ kind: 'brevo', key, list: '7' })).toMatchObject({
      status: 400,
      error: 'The API key has ASCII characters without spaces',
    })
  const headers = { 'api-key': 'schl\u20ac' }
  const options = { headers, body: '{}', timeoutMs: 1_000, allowsPrivate: true }
  const failed = await postToEndpoint(origin, options)
  expect(failed).toEqual({
    error: 'The request failed (ERR_INVALID_CHAR)',
    code: 'ERR_INVALID_CHAR',
  })
  // The control.
  const sent = await postToEndpoint(origin, { ...options, headers: { 'api-key': 'key' } })
  expect(sent.status).toBe(200)
})

it('a provider refuses keys and lists that a provider cannot have, and changes of a provider', async () => {
  for (const provider of [
    { kind: 'brevo', key: 'x', list: 'words' },
    { kind: 'mailchimp', key: 'without-a-data-center', list: 'a1' },
    { kind: 'mailchimp', key: 'abc-us21', list: '../../x' },
    { kind: 'listmonk', key: 'no-user', list: '3' },
    { kind: 'other', key: 'x', list: '3' },
  ])
    expect((await add(provider, receiver.url)).status).toBe(400)
  const { webhook } = await add({ kind: 'brevo', key: 'x', list: '7' })
  const change = { url: 'https://example.com/', events: ['lead.created'] }
  const at = `/${webhook.id}`
  const { headers } = audience.owner
  expect((await callWebhooks(server, headers, 'PUT', at, change)).status).toBe(409)
  expect((await callWebhooks(server, headers, 'POST', `${at}/rotate-secret`)).status).toBe(404)
})

it('an address with a control character is refused like another wrong one', async () => {
  const { headers } = audience.owner
  const made = (url: string) =>
    callWebhooks(server, headers, 'POST', '', { url, events: ['lead.created'] })
  for (const url of ['https://example.com/\u0000', 'https://example.com/a\nb', 'words'])
    expect(await made(url)).toMatchObject({ status: 400, error: 'This is not a web address' })
  expect((await made('https://example.com/hook')).status).toBe(201)
})

it('a provider reaches a private listmonk only where the operator lists its host', async () => {
  const host = new URL(receiver.url).host
  const closed = await startTestServer({ webhooks: { ...usual, allowsPrivate: false } })
  const open = await startTestServer({
    webhooks: { ...usual, allowsPrivate: false, leadHosts: [host] },
  })
  try {
    const settings = { kind: 'listmonk', key: 'hoplet:token', list: '3' }
    const body = { url: `http://${host}`, events: ['lead.created'], provider: settings }
    const there = await makeAudience(closed)
    expect((await callWebhooks(closed, there.owner.headers, 'POST', '', body)).status).toBe(400)
    const here = await makeAudience(open)
    expect((await callWebhooks(open, here.owner.headers, 'POST', '', body)).status).toBe(201)
    // Not for a webhook: its owner could reach the neighbors of the server.
    const plain = { url: `http://${host}`, events: ['lead.created'] }
    expect((await callWebhooks(open, here.owner.headers, 'POST', '', plain)).status).toBe(400)
    await give(open, here, 'ann@example.com')
    await arrived(1)
  } finally {
    await closed.close()
    await open.close()
  }
})
