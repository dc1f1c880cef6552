import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { idOf } from './ids.ts'
import { createStripeStandIn, standInKey, type StripeStandIn } from './stand-in.ts'

const pro = 'price_test_pro'
const business = 'price_test_business'
const declining = '4000 0000 0000 0002'

let test: TestDatabase
let standIn: StripeStandIn
let stripe: Stripe

beforeAll(async () => {
  test = await createTestDatabase()
  standIn = createStripeStandIn({ databaseUrl: test.url })
  stripe = clientOf(standIn, standInKey)
})
afterAll(async () => {
  await standIn.close()
  await test.drop()
})

function clientOf({ fetch }: StripeStandIn, key: string): Stripe {
  return new Stripe(key, {
    httpClient: Stripe.createFetchHttpClient(fetch),
    maxNetworkRetries: 0,
    telemetry: false,
  })
}

const makeCustomer = () => stripe.customers.create({ email: 'payer@example.com' })

function openSession(customer: string, price = pro) {
  return stripe.checkout.sessions.create({
    mode: 'subscription',
    customer,
    line_items: [{ price, quantity: 1 }],
    success_url: 'http://localhost:3000/upgrade?success=true',
    cancel_url: 'http://localhost:3000/upgrade',
    subscription_data: { metadata: { account: 'a-1' } },
  })
}

/** A customer who pays for a plan. */
async function makePayer(price = pro) {
  const customer = await makeCustomer()
  const session = await openSession(customer.id, price)
  expect((await standIn.actions.pay(session.id, {})).kind).toBe('paid')
  return customer
}

async function subscriptionOf(customer: string): Promise<Stripe.Subscription> {
  const { data } = await stripe.subscriptions.list({ customer, status: 'all' })
  const [subscription] = data
  if (!subscription) throw new Error('no subscription')
  return subscription
}

/** The types of the customer's events, oldest first. */
async function eventsOf(customer: string): Promise<string[]> {
  const events = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 })
  return events
    .filter(({ data: { object } }) => JSON.stringify(object).includes(customer))
    .map(({ type }) => type)
    .reverse()
}

const failure = async (call: Promise<unknown>): Promise<Stripe.errors.StripeError> => {
  try {
    await call
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error
    throw error
  }
  throw new Error('the call went through')
}

describe('paying', () => {
  it('starts a subscription for a month, with a paid invoice, its payment and its charge', async () => {
    const customer = await makePayer()
    const subscription = await subscriptionOf(customer.id)
    expect(subscription).toMatchObject({
      status: 'active',
      customer: customer.id,
      cancel_at_period_end: false,
      livemode: false,
      metadata: { account: 'a-1' },
    })
    const [item] = subscription.items.data
    expect(item?.price).toMatchObject({ id: pro, unit_amount: 700, currency: 'usd' })
    expect(String(item?.price.unit_amount_decimal)).toBe('700')
    const days = ((item?.current_period_end ?? 0) - (item?.current_period_start ?? 0)) / 86_400
    expect(days).toBeGreaterThanOrEqual(28)
    expect(days).toBeLessThanOrEqual(31)

    const invoices = await stripe.invoices.list({
      customer: customer.id,
      status: 'paid',
      expand: ['data.payments'],
    })
    const [invoice] = invoices.data
    expect(invoice).toMatchObject({
      amount_paid: 700,
      total: 700,
      total_excluding_tax: 700,
      billing_reason: 'subscription_create',
      parent: { subscription_details: { subscription: subscription.id } },
    })
    expect(invoice?.lines.data[0]?.pricing?.price_details?.price).toBe(pro)
    const charges = await stripe.charges.list({ customer: customer.id })
    expect(charges.data).toHaveLength(1)
    expect(charges.data[0]).toMatchObject({ amount: 700, paid: true, status: 'succeeded' })
    expect(charges.data[0]?.payment_intent).toBe(invoice?.payments?.data[0]?.payment.payment_intent)
  })

  it('makes the events that Stripe makes, in its order', async () => {
    const customer = await makePayer()
    expect(await eventsOf(customer.id)).toEqual([
      'customer.created',
      'payment_method.attached',
      'customer.updated',
      'invoice.created',
      'invoice.finalized',
      'payment_intent.created',
      'charge.succeeded',
      'payment_intent.succeeded',
      'invoice.paid',
      'invoice.payment_succeeded',
      'customer.subscription.created',
      'customer.subscription.updated',
      'checkout.session.completed',
    ])
  })

  it('leaves the session open when the card declines, and closed once it was paid or expired', async () => {
    const customer = await makeCustomer()
    const session = await openSession(customer.id)
    expect(session.url).toBe(`https://checkout.stripe.test/c/${session.id}`)
    expect(await standIn.actions.pay(session.id, { cardNumber: declining })).toEqual({
      kind: 'declined',
      message: 'Your card was declined.',
    })
    expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe('open')
    expect(await standIn.actions.pay(session.id, {})).toEqual({
      kind: 'paid',
      successUrl: 'http://localhost:3000/upgrade?success=true',
    })
    const paid = await stripe.checkout.sessions.retrieve(session.id)
    expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', url: null })
    expect((await standIn.actions.pay(session.id, {})).kind).toBe('paid before')
    expect((await failure(stripe.checkout.sessions.expire(session.id))).statusCode).toBe(400)

    const other = await openSession(customer.id)
    expect((await stripe.checkout.sessions.expire(other.id)).status).toBe('expired')
    expect(await standIn.actions.pay(other.id, {})).toEqual({ kind: 'closed' })
  })

  it('takes the money once, however often Pay is pressed', async () => {
    const customer = await makeCustomer()
    const session = await openSession(customer.id)
    const results = await Promise.all(
      Array.from({ length: 8 }, () => standIn.actions.pay(session.id, {})),
    )
    expect(results.filter(({ kind }) => kind === 'paid')).toHaveLength(1)
    expect((await stripe.charges.list({ customer: customer.id })).data).toHaveLength(1)
    expect((await stripe.subscriptions.list({ customer: customer.id })).data).toHaveLength(1)
  })

  it('takes test cards only', async () => {
    const session = await openSession((await makeCustomer()).id)
    await expect(
      standIn.actions.pay(session.id, { cardNumber: '4111111111111111' }),
    ).rejects.toThrow('not one of the test cards')
  })

  it('knows one card in two hands only for the shared test card', async () => {
    const prints: (string | null | undefined)[] = []
    for (const cardNumber of [
      '4242424242424242',
      '4242424242424242',
      '5555555555554444',
      '5555555555554444',
    ]) {
      const customer = await makeCustomer()
      await standIn.actions.pay((await openSession(customer.id)).id, { cardNumber })
      const { data } = await stripe.charges.list({ customer: customer.id })
      prints.push(data[0]?.payment_method_details?.card?.fingerprint)
    }
    expect(prints[0]).not.toBe(prints[1])
    expect(prints[2]).toBe(prints[3])
  })
})

describe('afterwards', () => {
  it('refunds in parts, never more than was paid', async () => {
    const customer = await makePayer()
    await standIn.actions.refund(customer.id, 300)
    const chargeOf = async () => (await stripe.charges.list({ customer: customer.id })).data[0]
    expect(await chargeOf()).toMatchObject({ amount_refunded: 300, refunded: false })
    await expect(standIn.actions.refund(customer.id, 401)).rejects.toThrow('not between')
    await standIn.actions.refund(customer.id)
    expect(await chargeOf()).toMatchObject({ amount_refunded: 700, refunded: true })
    await expect(standIn.actions.refund(customer.id)).rejects.toThrow('already been refunded')
    expect((await eventsOf(customer.id)).filter((type) => type === 'charge.refunded')).toHaveLength(
      2,
    )
  })

  it('opens a dispute and closes it won or lost', async () => {
    for (const won of [true, false]) {
      const customer = await makePayer()
      const { data: charges } = await stripe.charges.list({ customer: customer.id })
      const intent = idOf(charges[0]?.payment_intent) ?? ''
      const find = async () =>
        (await stripe.disputes.list({ payment_intent: intent })).data.map(({ status }) => status)
      expect(await find()).toEqual([])
      await standIn.actions.openDispute(customer.id)
      expect(await find()).toEqual(['needs_response'])
      await standIn.actions.closeDispute(customer.id, won)
      expect(await find()).toEqual([won ? 'won' : 'lost'])
      expect((await stripe.charges.list({ customer: customer.id })).data[0]?.disputed).toBe(true)
    }
  })

  it('charges the difference of a dearer plan at once', async () => {
    const customer = await makePayer()
    const { id, items } = await subscriptionOf(customer.id)
    await stripe.subscriptions.update(id, {
      items: [{ id: items.data[0]?.id ?? '', price: business }],
    })
    const { data } = await stripe.invoices.list({ customer: customer.id })
    expect(data.map(({ amount_paid }) => amount_paid)).toEqual([4_000, 700])
    expect((await subscriptionOf(customer.id)).items.data[0]?.price.id).toBe(business)
  })

  it('cancels at once by a call of the API, and only once', async () => {
    const customer = await makePayer()
    const { id } = await subscriptionOf(customer.id)
    expect((await stripe.subscriptions.cancel(id)).status).toBe('canceled')
    expect((await failure(stripe.subscriptions.cancel(id))).code).toBe('resource_missing')
    expect((await stripe.subscriptions.list({ customer: customer.id })).data).toEqual([])
  })
})

describe('time', () => {
  const advanceTo = async (customer: string) => {
    await standIn.actions.advance('period', customer)
    return subscriptionOf(customer)
  }

  it('renews each month on the same day', async () => {
    const customer = await makePayer()
    const before = (await subscriptionOf(customer.id)).items.data[0]
    const after = (await advanceTo(customer.id)).items.data[0]
    expect(after?.current_period_start).toBe(before?.current_period_end)
    const { data } = await stripe.invoices.list({ customer: customer.id, status: 'paid' })
    expect(data.map((invoice) => invoice.billing_reason)).toEqual([
      'subscription_cycle',
      'subscription_create',
    ])
    expect(data[0]?.created).toBe(before?.current_period_end)
  })

  it('ends a canceled subscription with its period', async () => {
    const customer = await makePayer()
    await standIn.actions.cancelAtPeriodEnd(customer.id, true)
    expect(await subscriptionOf(customer.id)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
    })
    expect((await advanceTo(customer.id)).status).toBe('canceled')
    expect((await eventsOf(customer.id)).at(-1)).toBe('customer.subscription.deleted')
    expect((await stripe.invoices.list({ customer: customer.id })).data).toHaveLength(1)
  })

  it('tries a failed renewal three times, and then ends the subscription', async () => {
    const customer = await makePayer()
    await standIn.actions.setCard(customer.id, false)
    expect((await advanceTo(customer.id)).status).toBe('past_due')
    const open = async () =>
      (await stripe.invoices.list({ customer: customer.id, status: 'open' })).data[0]
    expect(await open()).toMatchObject({ attempt_count: 1, amount_paid: 0 })
    await standIn.actions.advanceBy(3 * 86_400)
    expect(await open()).toMatchObject({ attempt_count: 2 })
    expect((await subscriptionOf(customer.id)).status).toBe('past_due')
    await standIn.actions.advanceBy(5 * 86_400)
    expect(await open()).toMatchObject({ attempt_count: 3, next_payment_attempt: null })
    expect((await subscriptionOf(customer.id)).status).toBe('canceled')
    const types = await eventsOf(customer.id)
    expect(types.filter((type) => type === 'invoice.payment_failed')).toHaveLength(3)
  })

  it('closes a checkout after a day', async () => {
    const customer = await makeCustomer()
    const session = await openSession(customer.id)
    await standIn.actions.advanceBy(86_400)
    expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe('expired')
    expect(await standIn.actions.pay(session.id, {})).toEqual({ kind: 'closed' })
  })
})

describe('the protocol', () => {
  it('pages lists both ways', async () => {
    const email = 'pages@example.com'
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.unshift((await stripe.customers.create({ email })).id)
    const all = await stripe.customers.list({ email, limit: 2 }).autoPagingToArray({ limit: 100 })
    expect(all.map(({ id }) => id)).toEqual(made)
    const first = await stripe.customers.list({ email, limit: 2 })
    expect(first).toMatchObject({ object: 'list', has_more: true, url: '/v1/customers' })
    const back = await stripe.customers.list({ email, limit: 2, ending_before: made[4] ?? '' })
    expect(back.data.map(({ id }) => id)).toEqual([made[2], made[3]])
    expect((await stripe.customers.list({ email })).has_more).toBe(false)
  })

  it('answers the same to the same key, and refuses it for anything else', async () => {
    const options = { idempotencyKey: 'once' }
    const email = 'once@example.com'
    const made = await Promise.all(
      Array.from({ length: 10 }, () => stripe.customers.create({ email }, options)),
    )
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect((await stripe.customers.list({ email })).data).toHaveLength(1)
    const other = await failure(stripe.customers.create({ email: 'two@example.com' }, options))
    expect(other).toBeInstanceOf(Stripe.errors.StripeIdempotencyError)
    expect(other.statusCode).toBe(400)
    // Without a key, each call is a new one.
    await stripe.customers.create({ email })
    expect((await stripe.customers.list({ email })).data).toHaveLength(2)
  })

  it('refuses the same requests as Stripe, in its words', async () => {
    const stranger = clientOf(standIn, 'sk_test_stranger')
    const wrongKey = await failure(stranger.customers.list())
    expect(wrongKey).toBeInstanceOf(Stripe.errors.StripeAuthenticationError)
    expect(wrongKey.message).not.toContain('sk_test_stranger')

    const missing = await failure(stripe.customers.retrieve('cus_none'))
    expect(missing).toMatchObject({ statusCode: 404, code: 'resource_missing' })
    expect(missing.message).toBe("No such customer: 'cus_none'")

    const customer = await makeCustomer()
    const price = await failure(openSession(customer.id, 'price_other'))
    expect(price).toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'line_items[0][price]',
    })
    const unknown = await failure(
      stripe.customers.create({ email: 'x@example.com', tip: '1' } as Stripe.CustomerCreateParams),
    )
    expect(unknown).toMatchObject({ code: 'parameter_unknown', param: 'tip' })
    const noMode = { customer: customer.id } as Stripe.Checkout.SessionCreateParams
    expect((await failure(stripe.checkout.sessions.create(noMode))).code).toBe('parameter_missing')
    expect((await failure(stripe.customers.list({ limit: 101 }))).param).toBe('limit')
    expect((await failure(stripe.products.list())).statusCode).toBe(404)
    expect((await failure(stripe.refunds.create({}))).param).toBe('charge')
  })

  it('gives no portal for another customer’s subscription', async () => {
    const payer = await makePayer()
    const other = await makeCustomer()
    const { id, items } = await subscriptionOf(payer.id)
    const open = (customer: string) =>
      stripe.billingPortal.sessions.create({
        customer,
        return_url: 'http://localhost:3000/upgrade',
        flow_data: {
          type: 'subscription_update_confirm',
          subscription_update_confirm: {
            subscription: id,
            items: [{ id: items.data[0]?.id ?? '', price: business }],
          },
        },
      })
    expect((await open(payer.id)).url).toMatch(/^https:\/\/billing\.stripe\.test\/p\/bps_\w{48}$/)
    expect((await failure(open(other.id))).code).toBe('resource_missing')
  })

  it('expands references, and refuses other fields', async () => {
    const customer = await makePayer()
    const { id } = await subscriptionOf(customer.id)
    const found = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice.payments'] })
    expect(found.latest_invoice).toMatchObject({ object: 'invoice', payments: { object: 'list' } })
    const wrong = stripe.subscriptions.retrieve(id, { expand: ['nothing'] })
    expect((await failure(wrong)).message).toBe('This property cannot be expanded (nothing).')
  })

  it('lists events of the wanted types and times, newest first', async () => {
    const customer = await makePayer()
    const { data } = await stripe.events.list({
      types: ['invoice.paid', 'customer.created'],
      limit: 2,
    })
    expect(data.map(({ type }) => type)).toEqual(['invoice.paid', 'customer.created'])
    expect(data[1]?.data.object).toMatchObject({ id: customer.id })
    const later = await stripe.events.list({ created: { gte: (data[0]?.created ?? 0) + 60 } })
    expect(later.data).toEqual([])
  })
})
