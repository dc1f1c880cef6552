import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DatabaseUnavailableError } from '#server/postgres/database.ts'
import { makeUser, type TestUser } from '../factories.ts'
import { startTestServer, type TestServer } from '../server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ payments: { provider: 'play_money' } })
})
afterAll(() => server.close())

/** The address that a payment function returns. */
async function addressOf(user: TestUser, name: string, body: object = {}): Promise<string> {
  const response = await fetch(`${server.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { url: string }).url
}

const openCheckout = (user: TestUser, plan: 'pro' | 'business' = 'pro') =>
  addressOf(user, 'create-checkout', { priceId: `price_play_${plan}` })

/** Sends a form as a browser does from its page. */
function send(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(url).origin, ...headers },
    body: new URLSearchParams(fields),
  })
}

const pay = (url: string) =>
  send(url, { do: 'pay', email: 'payer@example.com', card: '4242424242424242' })

async function planOf({ id }: TestUser): Promise<string | undefined> {
  const rows = await server.sql<{ plan_type: string }>(
    'select plan_type from app.user_plans where user_id = $1',
    [id],
  )
  return rows[0]?.plan_type
}

/** An action takes effect before its page responds, unless the machine is very busy. */
const expectPlan = (user: TestUser, plan: string) =>
  expect.poll(() => planOf(user), { timeout: 240_000 }).toBe(plan)

async function makePayer(plan: 'pro' | 'business' = 'pro') {
  const user = await makeUser(server)
  expect((await pay(await openCheckout(user, plan))).status).toBe(303)
  return { user, portal: await addressOf(user, 'customer-portal') }
}

describe('the checkout page', () => {
  it('shows the order and says that no real money moves', async () => {
    const user = await makeUser(server)
    const url = await openCheckout(user)
    expect(new URL(url).origin).toBe(server.url)
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-robots-tag')).toBe('noindex')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(response.headers.get('content-security-policy')).toContain("script-src 'none'")
    const html = await response.text()
    for (const text of [
      'No real money moves',
      'Hoplet Pro',
      '$7.00',
      user.email,
      '4242 4242 4242 4242',
    ])
      expect(html).toContain(text)
  })

  it('leads back to Hoplet with the paid plan', async () => {
    const user = await makeUser(server)
    const url = await openCheckout(user, 'business')
    const response = await pay(url)
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe(`${server.url}/upgrade?success=true`)
    await expectPlan(user, 'business')
    expect((await fetch(url)).status).toBe(404)
    // The second click of a double click has the same result.
    expect((await pay(url)).headers.get('location')).toBe(`${server.url}/upgrade?success=true`)
  })

  it('keeps the typed text and the plan when a card is declined or is not a test card', async () => {
    const user = await makeUser(server)
    const url = await openCheckout(user)
    const declined = await send(url, { do: 'decline', email: 'me@example.com', card: '4242' })
    expect(declined.status).toBe(402)
    const html = await declined.text()
    expect(html).toContain('Your card was declined.')
    expect(html).toContain('me@example.com')
    const strange = await send(url, { do: 'pay', email: '', card: '"><script>alert(1)</script>' })
    expect(strange.status).toBe(400)
    expect(await strange.text()).not.toContain('<script>')
    await expectPlan(user, 'free')
  })

  it('accepts forms from its own page only', async () => {
    const user = await makeUser(server)
    const url = await openCheckout(user)
    const fields = { do: 'pay', email: '', card: '4242424242424242' }
    expect((await send(url, fields, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await send(url, fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const bare = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
    expect(bare.status).toBe(403)
    await expectPlan(user, 'free')
  })

  it('answers 404 for unknown sessions', async () => {
    for (const path of ['checkout/cs_test_x', 'portal/bps_x', 'checkout/', ''])
      expect((await fetch(`${server.url}/sandbox/${path}`)).status).toBe(404)
  })
})

describe('the portal', () => {
  it('cancels at the end of the period, resumes, and ends in time', async () => {
    const { user, portal } = await makePayer()
    expect((await send(portal, { do: 'cancel' })).status).toBe(303)
    expect(await (await fetch(portal)).text()).toMatch(/Ends on \w+ \d+, \d+/)
    await send(portal, { do: 'resume' })
    expect(await (await fetch(portal)).text()).toMatch(/Renews on \w+ \d+, \d+/)
    await send(portal, { do: 'cancel' })
    await expectPlan(user, 'pro')
    await send(portal, { do: 'advance-period' })
    await expectPlan(user, 'free')
    expect(await (await fetch(portal)).text()).toContain('There is no subscription.')
  })

  it('switches the plan', async () => {
    const { user, portal } = await makePayer()
    await send(portal, { do: 'switch', price: 'price_play_business' })
    await expectPlan(user, 'business')
    expect(await (await fetch(portal)).text()).toContain('$40.00')
  })

  it('asks to confirm the requested change, and leads back', async () => {
    const { user } = await makePayer()
    const url = await openCheckout(user, 'business')
    expect(new URL(url).pathname).toMatch(/^\/sandbox\/portal\//)
    expect(await (await fetch(url)).text()).toContain('The difference of $40.00 is charged now.')
    const response = await send(url, { do: 'confirm', price: 'price_play_business' })
    expect(response.headers.get('location')).toBe(`${server.url}/upgrade`)
    await expectPlan(user, 'business')
  })

  it('refunds a part and then the rest', async () => {
    const { portal } = await makePayer()
    expect((await send(portal, { do: 'refund', amount: '2.5' })).status).toBe(303)
    expect(await (await fetch(portal)).text()).toContain('$2.50 refunded')
    const much = await send(portal, { do: 'refund', amount: '100' })
    expect(much.status).toBe(400)
    expect(await much.text()).toContain('is not between $0.01 and')
    expect((await send(portal, { do: 'refund', amount: 'all' })).status).toBe(400)
    await send(portal, { do: 'refund', amount: '4.50' })
    expect(await (await fetch(portal)).text()).toContain('Refunded')
  })

  it('suspends the plan while a payment is disputed, and restores it when the dispute is won', async () => {
    const { user, portal } = await makePayer()
    await send(portal, { do: 'dispute' })
    await expectPlan(user, 'free')
    await send(portal, { do: 'dispute-won' })
    await expectPlan(user, 'pro')
  })

  it('keeps the plan when the card declines the difference, and says so', async () => {
    const { user, portal } = await makePayer()
    await send(portal, { do: 'card-fails' })
    const refused = await send(portal, { do: 'switch', price: 'price_play_business' })
    expect(refused.status).toBe(400)
    const html = await refused.text()
    expect(html).toContain('Your card was declined.')
    expect(html).toContain('Hoplet Pro')
    expect(html).toContain('Active')
    expect(html).not.toContain('$40.00')
    await expectPlan(user, 'pro')
  })

  it('shows the earlier refund again after a won dispute, and refunds the rest', async () => {
    const { portal } = await makePayer()
    const html = async () => (await fetch(portal)).text()
    await send(portal, { do: 'refund', amount: '2.5' })
    await send(portal, { do: 'dispute' })
    expect(await html()).toContain('<td>Disputed</td>')
    expect((await send(portal, { do: 'refund', amount: '1' })).status).toBe(400)
    await send(portal, { do: 'dispute-won' })
    expect(await html()).not.toContain('<td>Disputed</td>')
    expect(await html()).toContain('$2.50 refunded')
    expect(await html()).not.toContain('Open a dispute')
    expect((await send(portal, { do: 'refund', amount: '4.50' })).status).toBe(303)
    expect(await html()).toContain('<td>Refunded</td>')
  })

  it('lets a renewal fail, and ends after the third failure', async () => {
    const { user, portal } = await makePayer()
    await send(portal, { do: 'card-fails' })
    await send(portal, { do: 'advance-period' })
    await expectPlan(user, 'pro')
    expect(await (await fetch(portal)).text()).toContain('Past due')
    await send(portal, { do: 'advance-month' })
    await expectPlan(user, 'free')
  })

  it('pays debts as soon as the card works', async () => {
    const { user, portal } = await makePayer()
    await send(portal, { do: 'card-fails' })
    await send(portal, { do: 'advance-period' })
    await send(portal, { do: 'card-works' })
    expect(await (await fetch(portal)).text()).toContain('Active')
    await expectPlan(user, 'pro')
  })

  it('refuses actions without a button', async () => {
    const { portal } = await makePayer()
    for (const name of ['', 'constructor', 'free-money'])
      expect((await send(portal, { do: name })).status).toBe(400)
  })
})

it('play money shows an error page when the database is unavailable', async () => {
  const { database } = server.context
  const { transactionAs } = database
  database.transactionAs = () => Promise.reject(new DatabaseUnavailableError('gone'))
  try {
    const url = `${server.url}/sandbox/checkout/cs_test_x`
    const answers = [await fetch(url), await send(url, { do: 'pay' })]
    for (const answer of answers) {
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(answer.headers.get('content-type')).toContain('text/html')
      expect(await answer.text()).toContain('Please try again in a moment')
    }
  } finally {
    database.transactionAs = transactionAs
  }
})

it('play money has no pages when play money is off', async () => {
  const plain = await startTestServer({ payments: undefined })
  try {
    expect((await fetch(`${plain.url}/sandbox/checkout/cs_test_x`)).status).toBe(404)
    expect(plain.context.billing.playMoney).toBeUndefined()
  } finally {
    await plain.close()
  }
})
