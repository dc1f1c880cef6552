import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createBilling } from '#server/billing/billing.ts'
import { makeUser } from '#test/factories.ts'
import { copyCustomer, plansOf } from './copies.ts'
import {
  call,
  checkOut,
  customerOf,
  deliverAll,
  makePayer,
  openShop,
  planOf,
  prices,
  type Shop,
} from './shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())
afterEach(() => {
  shop.stripe.fault = () => undefined
  shop.stripe.events.length = 0
})

const reconcile = () => shop.server.context.billing.reconcile()
const lastRun = async () =>
  (await shop.server.sql('select drift, error, read_until from app.billing_reconciles'))[0]

/** As if the reconcile had last looked that long ago. */
const rewind = (interval: string) =>
  shop.server.sql(
    `insert into app.billing_reconciles (provider, read_until) values ('stripe', now() - $1::interval)
      on conflict (provider) do update set read_until = excluded.read_until`,
    [interval],
  )

const statusOf = async (customer: string) =>
  (
    await shop.server.sql<{ status: string }>(
      `select body->>'status' as status from stripe_stand_in.objects where type = 'subscription' and customer_id = $1`,
      [customer],
    )
  ).map(({ status }) => status)

describe('BI4: an hour without events', () => {
  it('200 of 200 customers are right after one run', async () => {
    const { actions } = shop.stripe.standIn
    const [pro, business, gone, switched] = [
      await makePayer(shop, prices.pro),
      await makePayer(shop, prices.business),
      await makePayer(shop, prices.pro),
      await makePayer(shop, prices.pro),
    ]
    await actions.switchPlan(switched.customer, prices.business)
    await actions.openDispute(gone.customer)
    const truth = [
      [pro, 'pro'],
      [business, 'business'],
      [gone, 'free'],
      [switched, 'business'],
    ] as const
    const copies = []
    const wanted: string[] = []
    for (const [{ customer }, plan] of truth) {
      copies.push(...(await copyCustomer(shop, customer, 50)))
      wanted.push(...Array<string>(50).fill(plan))
    }
    // What we knew before the hour: a quarter had paid.
    await shop.server.sql(`update app.user_plans set plan_type = 'pro' where user_id = any ($1)`, [
      copies.slice(100, 150).map(({ userId }) => userId),
    ])
    await shop.server.sql(
      `update app.billing_customers set plan = 'pro' where user_id = any ($1)`,
      [copies.slice(100, 150).map(({ userId }) => userId)],
    )
    const before = await plansOf(shop, copies)
    expect(before.filter((plan, i) => plan !== wanted[i])).toHaveLength(200)

    await rewind('1 hour')
    const result = await reconcile()
    const after = await plansOf(shop, copies)
    expect(after.filter((plan, i) => plan !== wanted[i])).toEqual([])
    expect(result).toMatchObject({ failures: 0, skipped: false })
    // Of the four themselves, the one with the dispute was free all along.
    expect(result.drift).toBe(203)
    expect(await lastRun()).toMatchObject({ drift: 203, error: null })

    // Everything is marked now: the next run finds nothing, and late events have no effect.
    shop.stripe.calls.length = 0
    expect(await reconcile()).toMatchObject({ drift: 0, failures: 0 })
    expect(shop.stripe.calls.filter((each) => each !== 'GET /v1/events')).toEqual([])
  }, 60_000)

  it('reads what is older than an hour when it has not looked for longer', async () => {
    const ann = await makePayer(shop)
    await shop.server.sql(
      `update stripe_stand_in.objects set body = jsonb_set(body, '{created}', to_jsonb((body->>'created')::bigint - 86400))
        where type = 'event' and customer_id = $1`,
      [ann.customer],
    )
    await shop.server.sql(
      'update app.billing_customers set synced_at = now() where customer_id = $1',
      [ann.customer],
    )
    await rewind('0 seconds')
    await reconcile()
    expect(await planOf(shop, ann)).toBe('free')
    await rewind('2 days')
    await reconcile()
    expect(await planOf(shop, ann)).toBe('pro')
  })

  it('a failed run reads the same again', async () => {
    const ann = await makePayer(shop)
    await rewind('30 minutes')
    const { read_until } = (await lastRun()) ?? {}
    shop.stripe.fault = (each) => (each === 'GET /v1/charges' ? 500 : undefined)
    expect((await reconcile()).failures).toBeGreaterThan(0)
    expect(await lastRun()).toMatchObject({
      read_until,
      error: expect.stringContaining('provider'),
    })
    shop.stripe.fault = () => undefined
    expect((await reconcile()).failures).toBe(0)
    expect(await planOf(shop, ann)).toBe('pro')
    expect(await lastRun()).toMatchObject({ error: null })
  })

  it('one process at a time', async () => {
    const callsOf = async (work: () => Promise<unknown>) => {
      shop.stripe.calls.length = 0
      await work()
      return shop.stripe.calls.length
    }
    const once = await callsOf(reconcile)
    expect(await callsOf(() => Promise.all([reconcile(), reconcile(), reconcile()]))).toBe(once)
    const { config, database, log } = shop.server.context
    const second = createBilling({ config, database, log })
    try {
      shop.stripe.delay = 50
      const results = await Promise.all([reconcile(), second.reconcile()])
      expect(results.filter(({ skipped }) => skipped)).toHaveLength(1)
    } finally {
      shop.stripe.delay = 0
      await second.close()
    }
  })
})

describe('customers that no event speaks of', () => {
  it('are read once a day', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await shop.server.sql(
      `update stripe_stand_in.objects set body = body || '{"status": "canceled"}' where type = 'subscription' and customer_id = $1`,
      [ann.customer],
    )
    await reconcile()
    expect(await planOf(shop, ann)).toBe('pro')
    await shop.server.sql(
      `update app.billing_customers set synced_at = now() - interval '25 hours' where customer_id = $1`,
      [ann.customer],
    )
    expect(await reconcile()).toMatchObject({ drift: 1 })
    expect(await planOf(shop, ann)).toBe('free')
  })

  it.each([
    ['23 hours', 'pro'],
    ['25 hours', 'free'],
  ])(
    'BI13: with the provider away since, %s after the paid time the plan is %s',
    async (since, plan) => {
      const ann = await makePayer(shop)
      await deliverAll(shop)
      await shop.server.sql(
        `update app.billing_customers set synced_at = now() - interval '3 days', period_end = now() - $2::interval
        where customer_id = $1`,
        [ann.customer, since],
      )
      shop.stripe.fault = () => 'down'
      await reconcile()
      expect(await planOf(shop, ann)).toBe(plan)
      // As soon as it answers, what is true counts.
      shop.stripe.fault = () => undefined
      await reconcile()
      expect(await planOf(shop, ann)).toBe('pro')
    },
  )
})

describe('a deleted account', () => {
  it('is charged no more: its subscription is cancelled, also when the first try fails', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await shop.server.sql('delete from auth.users where id = $1', [ann.id])
    shop.stripe.fault = (each) => (each.startsWith('DELETE') ? 500 : undefined)
    await reconcile()
    expect(await statusOf(ann.customer)).toEqual(['active'])
    shop.stripe.fault = () => undefined
    await reconcile()
    expect(await statusOf(ann.customer)).toEqual(['canceled'])
    shop.stripe.calls.length = 0
    await deliverAll(shop)
    await reconcile()
    expect(shop.stripe.calls.filter((each) => each.startsWith('DELETE'))).toEqual([])
    const [row] = await shop.server.sql(
      'select user_id, account_id, plan, canceled_at is not null as done from app.billing_customers where customer_id = $1',
      [ann.customer],
    )
    expect(row).toEqual({ user_id: null, account_id: ann.id, plan: 'free', done: true })
  })

  it('cannot be charged through a checkout that was open either', async () => {
    const ann = await makeUser(shop.server)
    const session = await checkOut(shop, ann, prices.pro)
    const customer = await customerOf(shop, ann)
    await shop.server.sql('delete from auth.users where id = $1', [ann.id])
    await reconcile()
    expect(await shop.stripe.standIn.actions.pay(session, {})).toEqual({ kind: 'closed' })
    expect(await statusOf(customer)).toEqual([])
  })

  it('that paid in the last moment is cancelled once more', async () => {
    const ann = await makeUser(shop.server)
    const session = await checkOut(shop, ann, prices.pro)
    const customer = await customerOf(shop, ann)
    await shop.stripe.standIn.actions.pay(session, {})
    await shop.server.sql('delete from auth.users where id = $1', [ann.id])
    await shop.server.sql(
      'update app.billing_customers set canceled_at = now() where customer_id = $1',
      [customer],
    )
    await deliverAll(shop)
    await reconcile()
    expect(await statusOf(customer)).toEqual(['canceled'])
  })

  it('others keep theirs', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await reconcile()
    expect(await statusOf(ann.customer)).toEqual(['active'])
    expect((await call(shop, ann, 'check-subscription')).body).toMatchObject({ plan: 'pro' })
  })
})
