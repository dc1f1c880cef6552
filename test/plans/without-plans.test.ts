import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plansSetting } from '#server/peers/installation.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { connectAgent } from '#test/mcp/agent.ts'
import { recordLog } from '#test/record-log.ts'
import { startTestServer, type TestServer } from '#test/server.ts'

/** Words about plans. The name of the event `plan.changed` stays: endpoints may be subscribed to it. */
const wordsOfPlans =
  /\b(?:plans?(?!\.changed)|upgrade|quotas?|affiliates?|commissions?|payouts?|checkout)\b/i

const without = { hasPlans: false, linksPerAccount: 100_000 }

let server: TestServer
let person: TestUser
beforeAll(async () => {
  server = await startTestServer({ installation: without, payments: undefined })
  person = await makeUser(server)
})
afterAll(() => server.close())

const send = (
  method: string,
  path: string,
  body?: unknown,
  { headers }: Pick<TestUser, 'headers'> = person,
) =>
  fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json', prefer: 'return=representation' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
const answer = async (...sent: Parameters<typeof send>) => (await send(...sent)).json()
const call = (name: string, body: unknown, as = person) =>
  answer('POST', `/rest/v1/rpc/${name}`, body, as)
const planOf = (as: TestUser) =>
  answer('GET', `/rest/v1/user_plans?user_id=eq.${as.id}&select=plan_type`, undefined, as)
const settle = (hasPlans: boolean, links = 100_000) =>
  server.sql('select app.settle_installation($1, $2)', [hasPlans, links])

describe('an account of a server without plans', () => {
  it('makes 1,000 links, with custom codes, and nothing counts down', async () => {
    const links = Array.from({ length: 1_000 }, (_, at) => ({
      original_url: `https://example.com/${at}`,
      ...(at < 30 && { short_code: `own-code-${at}` }),
    }))
    // A busy machine has 4 s for a statement.
    for (let at = 0; at < links.length; at += 100) {
      const made = (await call('create_links', { _links: links.slice(at, at + 100) })) as {
        error?: unknown
      }[]
      expect(made).toHaveLength(100)
      expect(made.filter(({ error }) => error)).toEqual([])
    }
    expect(await call('can_create_url', { _user_id: person.id, _is_custom: true })).toMatchObject({
      canCreate: true,
      limit: null,
      current: 1_000,
      plan: 'business',
    })
  })

  it('sees clicks and downloads QR codes', async () => {
    const link = (await answer('POST', '/rest/v1/shortened_urls', {
      original_url: 'https://example.com/seen',
    })) as { click_count: unknown }[]
    expect(link[0]?.click_count).toBe(0)
    const report = await send('POST', '/rest/v1/rpc/click_report', {
      _scope: 'account',
      _id: person.id,
      _by: 'total',
      _from: '2026-01-01T00:00:00Z',
      _to: '2026-01-31T00:00:00Z',
    })
    expect(report.status).toBe(200)
    expect(await call('increment_qr_usage', { _user_id: person.id })).toMatchObject({
      allowed: true,
      limit: null,
    })
  })

  it('is answered by the calls of payments as by those that do not exist', async () => {
    expect(await planOf(person)).toEqual([{ plan_type: 'business' }])
    expect(await call('session_facts', {})).toMatchObject({ plan_type: 'business' })
    expect(await answer('POST', '/functions/v1/check-subscription', {})).toEqual({
      subscribed: false,
      plan: 'business',
      subscription_end: null,
    })
    for (const name of ['create-checkout', 'customer-portal'])
      expect((await send('POST', `/functions/v1/${name}`, { priceId: 'x' })).status).toBe(404)
    expect((await send('POST', '/functions/v1/ai-status', {})).status, 'control').toBe(200)
  })

  it('keeps the stored plan, which no admin can change', async () => {
    const admin = await makeUser(server, { role: 'admin' })
    const change = await send(
      'PATCH',
      `/rest/v1/user_plans?user_id=eq.${person.id}`,
      { plan_type: 'pro' },
      admin,
    )
    expect(await change.json()).toMatchObject({ message: 'This server has no plans.' })
    const stored = 'select plan_type from app.user_plans where user_id = $1'
    expect(await server.sql(stored, [person.id])).toEqual([{ plan_type: 'free' }])
  })

  it('has as many links as LINKS_PER_ACCOUNT allows', async () => {
    const other = await makeUser(server)
    const make = () =>
      answer('POST', '/rest/v1/shortened_urls', { original_url: 'https://example.com' }, other)
    await settle(false, 2)
    expect(await make()).toHaveLength(1)
    expect(await make()).toHaveLength(1)
    expect(await make()).toMatchObject({
      message:
        'You have 2 links, which is the most that an account can have. Please delete some first.',
    })
    expect(await call('can_create_url', { _user_id: other.id }, other)).toMatchObject({
      canCreate: false,
      limit: null,
    })
    await settle(false)
    expect(await make(), 'control').toHaveLength(1)
  })
})

it('pages of plans and affiliates are unknown, and the others are there', async () => {
  for (const path of ['/upgrade', '/affiliates', '/admin/payouts'])
    expect((await fetch(server.url + path)).status, path).toBe(404)
  for (const path of ['/', '/dashboard', '/admin'])
    expect((await fetch(server.url + path)).status, path).toBe(200)
})

it('no description and no tool of agents has a word of plans', async () => {
  const admin = await makeUser(server, { role: 'admin' })
  const described = async () => {
    const { client } = await connectAgent(server, person)
    const documents = ['/rest/v1/', '/functions/v1/openapi.json', '/auth/v1/openapi.json']
    const texts = documents.map(async (path) =>
      (await fetch(server.url + path, { headers: admin.headers })).text(),
    )
    return [...(await Promise.all(texts)), JSON.stringify(await client.listTools())]
  }
  const strayWords = (texts: string[]) =>
    texts.flatMap(
      (text) => new RegExp(`.{0,40}${wordsOfPlans.source}.{0,40}`, 'gi').exec(text) ?? [],
    )
  expect(strayWords(await described())).toEqual([])
  await settle(true)
  await expect
    .poll(async () => strayWords(await described()), { message: 'control' })
    .not.toEqual([])
  await settle(false)
  await expect.poll(() => server.context.installation.hasPlans()).toBe(false)
})

it('plans that come back delete nothing, and refuse the next link', async () => {
  const before = await server.sql('select count(*) from app.shortened_urls')
  await settle(true)
  try {
    expect(await planOf(person)).toEqual([{ plan_type: 'free' }])
    expect(
      await answer('POST', '/rest/v1/shortened_urls', { original_url: 'https://example.com' }),
    ).toMatchObject({
      message: 'Limit Reached',
      hint: "You've reached your total limit of 50 shortened URLs. Upgrade to Pro or delete existing links to continue.",
    })
    expect(await server.sql('select count(*) from app.shortened_urls')).toEqual(before)
  } finally {
    await settle(false)
  }
})

it('a server that is set otherwise follows the one that started last, and says so', async () => {
  const { log, messages } = recordLog()
  const first = await startTestServer({}, {}, log)
  try {
    expect(first.context.installation.hasPlans()).toBe(true)
    const second = await startTestServer({
      installation: without,
      payments: undefined,
      databaseUrl: first.databaseUrl,
    })
    await expect.poll(() => first.context.installation.hasPlans()).toBe(false)
    expect(messages().join('\n')).toContain('another choice of PLANS')
    expect(plansSetting(without)).toBe('PLANS=off')
    expect(second.context.installation.hasPlans()).toBe(false)
    await second.close()
  } finally {
    await first.close()
  }
})
