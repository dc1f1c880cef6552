import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer } from '#test/server.ts'
import {
  call,
  checkOut,
  customerOf,
  deliverAll,
  makePayer,
  openShop,
  paymentsAt,
  planOf,
  prices,
  type Shop,
} from './shop.ts'

// Many calls of the whole server each: slow on a busy machine.
let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())
afterEach(() => {
  shop.stripe.fault = () => undefined
  shop.stripe.delay = 0
})

const openSessions = async (customer: string) => {
  const rows = await shop.server.sql<{ id: string }>(
    `select id from stripe_stand_in.objects where type = 'checkout.session' and customer_id = $1 and body->>'status' = 'open'`,
    [customer],
  )
  return rows.map(({ id }) => id)
}

describe('who may call', () => {
  it.each(['check-subscription', 'create-checkout', 'customer-portal'])(
    '%s needs sign-in',
    async (name) => {
      const answer = { status: 401, body: { error: 'No access token' } }
      expect(await call(shop, undefined, name, { priceId: prices.pro })).toEqual(answer)
      const key = { headers: { authorization: `Bearer ${shop.server.anonKey}` } }
      expect(await call(shop, key, name, { priceId: prices.pro })).toEqual(answer)
    },
  )
})

it('the server puts a new account on the free plan, and success=true grants nothing', async () => {
  const ann = await makeUser(shop.server)
  await checkOut(shop, ann, prices.pro)
  await fetch(`${shop.server.url}/upgrade?success=true`, { headers: ann.headers })
  expect(await call(shop, ann, 'check-subscription', { success: true })).toEqual({
    status: 200,
    body: { subscribed: false, plan: 'free', subscription_end: null },
  })
})

it('a payment gives the plan until the end of the period', async () => {
  const ann = await makePayer(shop, prices.business)
  expect(await planOf(shop, ann)).toBe('free')
  await deliverAll(shop)
  const { body } = await call(shop, ann, 'check-subscription')
  expect(body).toMatchObject({ subscribed: true, plan: 'business' })
  const days = (Date.parse(String(body.subscription_end)) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(27)
  expect(days).toBeLessThan(32)
})

describe('only the two prices are sold', () => {
  it.each([
    'price_other',
    '',
    'price_test_pro ',
    'PRICE_TEST_PRO',
    '__proto__',
    'x'.repeat(300),
    ['price_test_pro'],
    { price: 'price_test_pro' },
    null,
    7,
    undefined,
  ])('not %j', async (priceId) => {
    const ann = await makeUser(shop.server)
    shop.stripe.calls.length = 0
    expect((await call(shop, ann, 'create-checkout', { priceId })).status).toBe(400)
    expect(shop.stripe.calls).toEqual([])
  })

  it('says so in a sentence', async () => {
    const ann = await makeUser(shop.server)
    expect((await call(shop, ann, 'create-checkout', { priceId: 'price_x' })).body).toEqual({
      error: 'This price does not exist.',
    })
  })
})

describe('people pay only for themselves', () => {
  it('a customer or an account in the body is not read', async () => {
    const ann = await makePayer(shop)
    const bob = await makeUser(shop.server)
    const { body } = await call(shop, bob, 'create-checkout', {
      priceId: prices.pro,
      customer: ann.customer,
      client_reference_id: ann.id,
      userId: ann.id,
    })
    const id = String(body.url).split('/').at(-1)
    const [session] = await shop.server.sql(
      'select customer_id from stripe_stand_in.objects where id = $1',
      [id],
    )
    expect(session).toEqual({ customer_id: await customerOf(shop, bob) })
    expect(await customerOf(shop, bob)).not.toBe(ann.customer)
    const portal = await call(shop, bob, 'customer-portal', { customer: ann.customer })
    const [opened] = await shop.server.sql(
      'select customer_id from stripe_stand_in.objects where id = $1',
      [String(portal.body.url).split('/').at(-1)],
    )
    expect(opened).toEqual({ customer_id: await customerOf(shop, bob) })
  })

  it('the portal opens only after a checkout', async () => {
    const ann = await makeUser(shop.server)
    expect(await call(shop, ann, 'customer-portal')).toEqual({
      status: 404,
      body: { error: 'There is no subscription to manage yet.' },
    })
  })
})

describe('one open session per person', () => {
  it('ten parallel calls get the same session', async () => {
    const ann = await makeUser(shop.server)
    shop.stripe.delay = 20
    const ids = await Promise.all(Array.from({ length: 10 }, () => checkOut(shop, ann, prices.pro)))
    expect(new Set(ids).size).toBe(1)
    expect(await openSessions(await customerOf(shop, ann))).toEqual([ids[0]])
  })

  it('so do parallel calls at two servers, in ten rounds', { tags: ['extended'] }, async () => {
    const second = await startTestServer({
      ...paymentsAt(shop.stripe.url),
      databaseUrl: shop.server.databaseUrl,
      publicUrl: shop.server.url,
      signingKey: JSON.stringify(await signingKeyOf(shop)),
    })
    try {
      for (let round = 0; round < 10; round++) {
        const ann = await makeUser(shop.server)
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            call(i % 2 ? shop : { server: second }, ann, 'create-checkout', {
              priceId: prices.pro,
            }),
          ),
        )
        expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
        expect(new Set(answers.map(({ body }) => body.url)).size).toBe(1)
        const rows = await shop.server.sql(
          `select from stripe_stand_in.objects where type = 'customer' and body->'metadata'->>'hoplet_user_id' = $1`,
          [ann.id],
        )
        expect(rows).toHaveLength(1)
      }
    } finally {
      await second.close()
    }
  })

  it('parallel calls for both prices leave one open session', async () => {
    for (let round = 0; round < 5; round++) {
      const ann = await makeUser(shop.server)
      const answers = await Promise.all(
        [prices.pro, prices.business, prices.pro, prices.business].map((priceId) =>
          call(shop, ann, 'create-checkout', { priceId }),
        ),
      )
      for (const { status } of answers) expect([200, 409]).toContain(status)
      expect(await openSessions(await customerOf(shop, ann))).toHaveLength(1)
    }
  })

  it('is returned again, and replaced for the other price', async () => {
    const ann = await makeUser(shop.server)
    const first = await checkOut(shop, ann, prices.pro)
    expect(await checkOut(shop, ann, prices.pro)).toBe(first)
    const second = await checkOut(shop, ann, prices.business)
    expect(second).not.toBe(first)
    expect(await openSessions(await customerOf(shop, ann))).toEqual([second])
  })

  it('is replaced when it has expired', async () => {
    const ann = await makeUser(shop.server)
    const first = await checkOut(shop, ann, prices.pro)
    await shop.server.sql(
      `update stripe_stand_in.objects set body = body || '{"status": "expired", "url": null}' where id = $1`,
      [first],
    )
    expect(await checkOut(shop, ann, prices.pro)).not.toBe(first)
  })

  it('is the same session when its response was lost', async () => {
    const ann = await makeUser(shop.server)
    let lost = 0
    shop.stripe.fault = (each) =>
      each === 'POST /v1/checkout/sessions' && lost++ < 2 ? 'lost' : undefined
    expect((await call(shop, ann, 'create-checkout', { priceId: prices.pro })).status).toBe(503)
    expect(lost).toBeGreaterThan(0)
    shop.stripe.fault = () => undefined
    const session = await checkOut(shop, ann, prices.business)
    expect(await openSessions(await customerOf(shop, ann))).toEqual([session])
  })

  it('a failed checkout does not block the other price', async () => {
    const ann = await makeUser(shop.server)
    shop.stripe.fault = (each) => (each === 'POST /v1/checkout/sessions' ? 500 : undefined)
    expect((await call(shop, ann, 'create-checkout', { priceId: prices.pro })).status).toBe(503)
    shop.stripe.fault = () => undefined
    await checkOut(shop, ann, prices.business)
  })
})

describe('a subscriber', () => {
  it('gets no second subscription: 409 for the same plan, even before any event', async () => {
    const ann = await makePayer(shop)
    expect(await call(shop, ann, 'create-checkout', { priceId: prices.pro })).toEqual({
      status: 409,
      body: { error: 'You already have this plan.' },
    })
    // Reading the customer had the same effect as the event.
    expect(await planOf(shop, ann)).toBe('pro')
  })

  it('a person on a plan that an admin changed sees both plans, and is led to the portal by the same price', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await shop.server.sql(`update app.user_plans set plan_type = 'free' where user_id = $1`, [
      ann.id,
    ])
    expect((await call(shop, ann, 'check-subscription')).body).toEqual({
      subscribed: true,
      plan: 'free',
      subscription_end: expect.stringMatching(/^\d{4}-.*Z$/),
      paid_plan: 'pro',
      on_hold: false,
      cancel_at_period_end: false,
    })
    const { status, body } = await call(shop, ann, 'create-checkout', { priceId: prices.pro })
    expect(status).toBe(200)
    expect(body.url).toMatch(/^https:\/\/billing\.stripe\.test\/p\/bps_/)
    expect(await planOf(shop, ann)).toBe('free')
  })

  it('a person with a disputed payment is subscribed without the plan', async () => {
    const ann = await makePayer(shop)
    await shop.stripe.standIn.actions.openDispute(ann.customer)
    await deliverAll(shop)
    expect((await call(shop, ann, 'check-subscription')).body).toMatchObject({
      subscribed: true,
      plan: 'free',
      paid_plan: 'pro',
      on_hold: true,
    })
  })

  it('confirms a change of plan on a page', async () => {
    const ann = await makePayer(shop)
    const { body } = await call(shop, ann, 'create-checkout', { priceId: prices.business })
    const [portal] = await shop.server.sql<{ body: { flow: unknown } }>(
      'select body from stripe_stand_in.objects where id = $1',
      [String(body.url).split('/').at(-1)],
    )
    expect(portal?.body.flow).toMatchObject({
      type: 'subscription_update_confirm',
      subscription_update_confirm: { items: [{ price: prices.business }] },
    })
    expect(await openSessions(ann.customer)).toEqual([])
    await shop.stripe.standIn.actions.switchPlan(ann.customer, prices.business)
    await deliverAll(shop)
    expect(await planOf(shop, ann)).toBe('business')
  })

  it('can subscribe again when the subscription has ended', async () => {
    const ann = await makePayer(shop)
    await shop.server.sql(
      `update stripe_stand_in.objects set body = body || '{"status": "canceled"}' where type = 'subscription' and customer_id = $1`,
      [ann.customer],
    )
    const session = await checkOut(shop, ann, prices.pro)
    await shop.stripe.standIn.actions.pay(session, {})
    await deliverAll(shop)
    expect(await planOf(shop, ann)).toBe('pro')
  })
})

describe('a customer that the provider no longer knows', () => {
  it('is replaced, and the old plan ends', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    expect(await planOf(shop, ann)).toBe('pro')
    await shop.server.sql('delete from stripe_stand_in.objects where id = $1 or customer_id = $1', [
      ann.customer,
    ])
    const session = await checkOut(shop, ann, prices.business)
    expect(await customerOf(shop, ann)).not.toBe(ann.customer)
    expect(await planOf(shop, ann)).toBe('free')
    await shop.stripe.standIn.actions.pay(session, {})
    await deliverAll(shop)
    expect(await planOf(shop, ann)).toBe('business')
  })

  it('that only the provider knows, after an old backup was restored, is found again', async () => {
    const ann = await makePayer(shop)
    await shop.server.sql('delete from app.billing_customers where customer_id = $1', [
      ann.customer,
    ])
    await shop.server.sql(`delete from stripe_stand_in.objects where type = 'idempotency'`)
    expect((await call(shop, ann, 'create-checkout', { priceId: prices.pro })).status).toBe(409)
    expect(await customerOf(shop, ann)).toBe(ann.customer)
    expect(await planOf(shop, ann)).toBe('pro')
  })
})

describe('the provider is down', () => {
  it('says so in a sentence, and no payer loses a plan', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    const bob = await makeUser(shop.server)
    shop.stripe.fault = () => 'down'
    const down = {
      status: 503,
      body: { error: 'The payment provider cannot be reached right now. Please try again later.' },
    }
    expect(await call(shop, bob, 'create-checkout', { priceId: prices.pro })).toEqual(down)
    expect(await call(shop, ann, 'customer-portal')).toEqual(down)
    await shop.server.context.billing.reconcile()
    expect(await planOf(shop, ann)).toBe('pro')
  })

  it('a wrong key is not shown to people', async () => {
    const wrong = await startTestServer({
      payments: { ...paymentsAt(shop.stripe.url).payments, secretKey: 'sk_test_wrong' },
    })
    try {
      const ann = await makeUser(wrong)
      const { status, body } = await call({ server: wrong }, ann, 'create-checkout', {
        priceId: prices.pro,
      })
      expect(status).toBe(503)
      expect(JSON.stringify(body)).not.toMatch(/sk_|key/i)
    } finally {
      await wrong.close()
    }
  })
})

it(
  'the server answers 10,000 subscription checks without asking the provider',
  { tags: ['extended'] },
  async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    shop.stripe.calls.length = 0
    const { billing } = shop.server.context
    for (let round = 0; round < 500; round++) {
      const looks = [
        planOf(shop, ann),
        // Below HTTP, which would take most of the time.
        ...Array.from({ length: 19 }, async () => (await billing.subscriptionOf(ann.id)).plan),
      ]
      expect(new Set(await Promise.all(looks))).toEqual(new Set(['pro']))
    }
    expect(shop.stripe.calls.length).toBeLessThanOrEqual(10)
  },
)

it('without a provider everything else works', async () => {
  const bare = await startTestServer({ payments: undefined })
  try {
    const ann = await makeUser(bare, { plan: 'pro' })
    const none = { status: 503, body: { error: 'Payments are not set up on this server.' } }
    expect(await call({ server: bare }, ann, 'create-checkout', { priceId: prices.pro })).toEqual(
      none,
    )
    expect(await call({ server: bare }, ann, 'customer-portal')).toEqual(none)
    expect(await call({ server: bare }, undefined, 'stripe-webhook')).toEqual(none)
    expect(await call({ server: bare }, ann, 'check-subscription')).toEqual({
      status: 200,
      body: { subscribed: false, plan: 'pro', subscription_end: null },
    })
  } finally {
    await bare.close()
  }
})

async function signingKeyOf({ server }: Shop): Promise<unknown> {
  const keys = await readFile(`${server.context.config.dataDir}/keys.json`, 'utf8')
  return (JSON.parse(keys) as { signingKey: unknown }).signingKey
}
