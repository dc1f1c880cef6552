import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { call, deliver, deliverAll, makePayer, openShop, planOf, type Shop } from './shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

let next = 1
/** Sends an event that says that the customer's subscription has changed. */
const touch = (customer: string) =>
  deliver(shop, {
    id: `evt_touch_${next++}`,
    object: 'event',
    type: 'customer.subscription.updated',
    created: Math.floor(Date.now() / 1000),
    livemode: false,
    data: { object: { customer } },
  })

const setSubscription = (customer: string, change: Record<string, unknown>) =>
  shop.server.sql(
    `update stripe_stand_in.objects set body = body || $2 where type = 'subscription' and customer_id = $1`,
    [customer, JSON.stringify(change)],
  )

const visit = async (code: string) =>
  (await fetch(`${shop.server.url}/${code}`, { redirect: 'manual' })).status

const commissionsOf = async (payer: string) =>
  (
    await shop.server.sql<{ kind: string; tier: number; amount_cents: string }>(
      'select kind, tier, amount_cents from app.commissions where payer_id = $1 order by created_at, tier, kind',
      [payer],
    )
  ).map(({ kind, tier, amount_cents }) => [kind, tier, Number(amount_cents)])

it('the server gives each of eight statuses its plan, and links keep working', async () => {
  const ann = await makePayer(shop)
  await deliverAll(shop)
  const link = await makeLink(shop.server, ann)
  const table = [
    ['active', 'pro'],
    ['trialing', 'pro'],
    ['past_due', 'pro'],
    ['incomplete', 'free'],
    ['incomplete_expired', 'free'],
    ['canceled', 'free'],
    ['unpaid', 'free'],
    ['paused', 'free'],
  ] as const
  const seen: (readonly [string, string])[] = []
  for (const [status] of table) {
    // Back to active each time, so that each status has its own effect.
    await setSubscription(ann.customer, { status: 'active' })
    await touch(ann.customer)
    await setSubscription(ann.customer, { status })
    expect(await touch(ann.customer)).toBe(200)
    seen.push([status, await planOf(shop, ann)])
    expect(await visit(link.short_code)).toBe(302)
  }
  expect(seen).toEqual(table)
})

it('canceled at the end of the period: paid until then, free afterwards', async () => {
  const ann = await makePayer(shop)
  const { actions } = shop.stripe.standIn
  await actions.cancelAtPeriodEnd(ann.customer, true)
  await deliverAll(shop)
  expect(await planOf(shop, ann)).toBe('pro')
  const [row] = await shop.server.sql(
    'select cancel_at_period_end from app.billing_customers where customer_id = $1',
    [ann.customer],
  )
  expect(row).toEqual({ cancel_at_period_end: true })
  await setSubscription(ann.customer, { status: 'canceled' })
  await touch(ann.customer)
  expect(await call(shop, ann, 'check-subscription')).toEqual({
    status: 200,
    body: { subscribed: false, plan: 'free', subscription_end: null },
  })
})

it('a dispute takes the plan and both commissions once, a won dispute restores them; redirects keep working', async () => {
  const [second, first] = [await makeUser(shop.server), await makeUser(shop.server)]
  const ann = await makePayer(shop)
  await shop.server.sql(
    `insert into app.referrals (referred_user_id, referrer_user_id) values ($1, $2), ($2, $3)`,
    [ann.id, first.id, second.id],
  )
  const link = await makeLink(shop.server, ann)
  await deliverAll(shop)
  const earned = [
    ['earned', 1, 175],
    ['earned', 2, 70],
  ]
  expect(await commissionsOf(ann.id)).toEqual(earned)

  await shop.stripe.standIn.actions.openDispute(ann.customer)
  const events = [...shop.stripe.events]
  expect(events.map(({ type }) => type)).toContain('charge.dispute.created')
  await deliverAll(shop)
  for (const event of events) expect(await deliver(shop, event)).toBe(200)
  expect(await planOf(shop, ann)).toBe('free')
  const disputed = [...earned, ['dispute', 1, -175], ['dispute', 2, -70]]
  expect(await commissionsOf(ann.id)).toEqual(disputed)
  expect(await visit(link.short_code)).toBe(302)

  await shop.stripe.standIn.actions.closeDispute(ann.customer, true)
  await deliverAll(shop)
  expect(await planOf(shop, ann)).toBe('pro')
  expect(await commissionsOf(ann.id)).toEqual([
    ...disputed,
    ['dispute_won', 1, 175],
    ['dispute_won', 2, 70],
  ])
})

it('a lost dispute leaves the person free', async () => {
  const ann = await makePayer(shop)
  const { actions } = shop.stripe.standIn
  await actions.openDispute(ann.customer)
  await actions.closeDispute(ann.customer, false)
  await deliverAll(shop)
  expect(await planOf(shop, ann)).toBe('free')
})

it('a plan that an admin set holds until the subscription changes', async () => {
  const ann = await makePayer(shop)
  await deliverAll(shop)
  await shop.server.sql(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
    ann.id,
  ])
  await touch(ann.customer)
  await shop.server.context.billing.reconcile()
  expect(await planOf(shop, ann)).toBe('business')
  await setSubscription(ann.customer, { status: 'canceled' })
  await touch(ann.customer)
  expect(await planOf(shop, ann)).toBe('free')
})

it('with two subscriptions the higher plan counts', async () => {
  const ann = await makePayer(shop)
  await shop.server.sql(
    `insert into stripe_stand_in.objects (id, type, customer_id, body)
      select id || '2', type, customer_id, jsonb_set(jsonb_set(body, '{id}', to_jsonb(id || '2')),
        '{items,data,0,price,id}', '"price_test_business"')
      from stripe_stand_in.objects where type = 'subscription' and customer_id = $1`,
    [ann.customer],
  )
  await touch(ann.customer)
  expect(await planOf(shop, ann)).toBe('business')
})

it('a subscription to another product of the operator gives no plan', async () => {
  const ann = await makePayer(shop)
  await shop.server.sql(
    `update stripe_stand_in.objects set body = jsonb_set(body, '{items,data,0,price,id}', '"price_other"')
      where type = 'subscription' and customer_id = $1`,
    [ann.customer],
  )
  await touch(ann.customer)
  expect(await planOf(shop, ann)).toBe('free')
  await setSubscription(ann.customer, { status: 'canceled' })
})

describe('emails', () => {
  const mailsOf = (email: string) =>
    shop.server.sql<{ key: string; template: string; data: Record<string, unknown> }>(
      'select key, template, data from app.mail_outbox where recipient = $1 order by created_at, key',
      [email],
    )

  it('one receipt for each paid invoice, one notice for each failed attempt', async () => {
    const ann = await makePayer(shop)
    const { actions } = shop.stripe.standIn
    await deliverAll(shop)
    const receipts = await mailsOf(ann.email)
    expect(receipts).toEqual([
      {
        key: expect.stringMatching(/^receipt:in_\w+$/),
        template: 'receipt',
        data: {
          plan: 'pro',
          amount: 700,
          currency: 'usd',
          number: expect.any(String),
          paidAt: expect.stringMatching(/^\d{4}-.*Z$/),
          periodEnd: expect.stringMatching(/^\d{4}-.*Z$/),
        },
      },
    ])
    await actions.setCard(ann.customer, false)
    await actions.advance('period', ann.customer)
    const events = [...shop.stripe.events]
    await deliverAll(shop)
    for (const event of events) await deliver(shop, { ...event, id: `${event.id}again` })
    const mails = await mailsOf(ann.email)
    expect(mails.map(({ template }) => template).toSorted()).toEqual(['payment-failed', 'receipt'])
    expect(mails.find(({ template }) => template === 'payment-failed')).toEqual({
      key: expect.stringMatching(/^payment-failed:in_\w+:1$/),
      template: 'payment-failed',
      data: {
        plan: 'pro',
        amount: 700,
        currency: 'usd',
        nextAttempt: expect.stringMatching(/^\d{4}-.*Z$/),
        portalUrl: `${shop.server.url}/upgrade`,
      },
    })
    expect(await planOf(shop, ann)).toBe('pro')
  })
})
