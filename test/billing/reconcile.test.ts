import { createJobs } from '#server/primitives/jobs.ts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createBilling } from '#server/billing/billing.ts'
import { deleteOldRows } from '#test/delete-old-rows.ts'
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

// Many calls of the whole server each: slow on a busy machine.
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

/** Holds a call open; `entered` resolves when it has come. */
function gate() {
  let enter = () => {}
  let release = () => {}
  const entered = new Promise<void>((resolve) => (enter = resolve))
  const released = new Promise<void>((resolve) => (release = resolve))
  const pass = async () => {
    enter()
    await released
  }
  return { pass, entered, release }
}

/** As if the last run had been that long ago. */
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

describe('an hour without events', () => {
  it('200 of 200 customers are right after one run', { tags: ['extended'] }, async () => {
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
    // Known before that hour: a quarter had paid.
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
    // Of the four originals, the disputed one was free before.
    expect(result.drift).toBe(203)
    expect(await lastRun()).toMatchObject({ drift: 203, error: null })

    // Everything is marked: the next run finds nothing, and late events have no effect.
    shop.stripe.calls.length = 0
    expect(await reconcile()).toMatchObject({ drift: 0, failures: 0 })
    expect(shop.stripe.calls.filter((each) => each !== 'GET /v1/events')).toEqual([])
  })

  it('reads further back when the last run was longer ago', async () => {
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

  it('a failed run reads the same period again', async () => {
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
    const second = createBilling({ config, database, log, jobs: createJobs({ log }) })
    try {
      shop.stripe.delay = 50
      const results = await Promise.all([reconcile(), second.reconcile()])
      expect(results.filter(({ skipped }) => skipped)).toHaveLength(1)
    } finally {
      shop.stripe.delay = 0
      await second.close()
    }
  })

  it('no transaction is open while the provider is asked', async () => {
    await makePayer(shop)
    const { pass, entered, release } = gate()
    shop.stripe.hold = (each) => (each === 'GET /v1/charges' ? pass() : Promise.resolve())
    const run = reconcile()
    await entered
    const openTransactions = () =>
      shop.server.sql(
        `select from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction' and application_name = 'hoplet'`,
      )
    try {
      // A job of the server in between ends by itself; one that waits for the provider does not.
      await expect.poll(openTransactions).toEqual([])
    } finally {
      release()
      shop.stripe.hold = () => Promise.resolve()
      await run
    }
  })

  it('the lease of a process that died expires', async () => {
    const lease = (until: string) =>
      shop.server.sql(
        `insert into app.leases values ('payments:stripe', gen_random_uuid(), now() + $1::interval) on conflict (name) do update set ends_at = excluded.ends_at`,
        [until],
      )
    await lease('1 minute')
    expect(await reconcile()).toMatchObject({ skipped: true })
    await lease('-1 second')
    expect(await reconcile()).toMatchObject({ skipped: false })
  })

  it('deletes the marks of events that no provider repeats', async () => {
    await shop.server.sql(
      `insert into app.billing_events (provider, event_id, type, result, created_at, received_at)
        values ('stripe', 'evt_old', 'x', 'ignored', now(), now() - interval '91 days'),
          ('stripe', 'evt_kept', 'x', 'ignored', now(), now() - interval '89 days')`,
    )
    await deleteOldRows(shop.server.context)
    expect(
      await shop.server.sql(
        `select event_id from app.billing_events where event_id in ('evt_old', 'evt_kept')`,
      ),
    ).toEqual([{ event_id: 'evt_kept' }])
  })
})

describe('customers without events', () => {
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
  ])('while the provider is down, %s after the paid time the plan is %s', async (since, plan) => {
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
    // As soon as the provider responds, its snapshot counts.
    shop.stripe.fault = () => undefined
    await reconcile()
    expect(await planOf(shop, ann)).toBe('pro')
  })
})

describe('a customer that the provider does not know', () => {
  const removeAtProvider = (customer: string) =>
    shop.server.sql('delete from stripe_stand_in.objects where id = $1 or customer_id = $1', [
      customer,
    ])
  const rowOf = async (customer: string) =>
    (
      await shop.server.sql(
        `select plan, synced_at > now() - interval '1 minute' as synced, canceled_at is not null as done,
            user_id is not null as bound from app.billing_customers where customer_id = $1`,
        [customer],
      )
    )[0]

  it('does not count as a failure, and is checked once a day; another refusal counts (control)', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await removeAtProvider(ann.customer)
    const overdue = () =>
      shop.server.sql(
        `update app.billing_customers set synced_at = now() - interval '25 hours' where customer_id = $1`,
        [ann.customer],
      )
    await overdue()
    shop.stripe.fault = (each) => (each.includes('/subscriptions') ? 400 : undefined)
    expect((await reconcile()).failures).toBeGreaterThan(0)
    shop.stripe.fault = () => undefined
    await overdue()
    expect(await reconcile()).toMatchObject({ failures: 0 })
    expect(await lastRun()).toMatchObject({ error: null })
    expect(await rowOf(ann.customer)).toMatchObject({ plan: 'pro', synced: true, bound: true })
    shop.stripe.calls.length = 0
    await reconcile()
    expect(shop.stripe.calls.filter((each) => each.includes('/subscriptions'))).toEqual([])
  })

  it.each([
    ['23 hours', 'pro'],
    ['25 hours', 'free'],
  ])('%s after the paid time its plan is %s', async (since, plan) => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await removeAtProvider(ann.customer)
    await shop.server.sql(
      `update app.billing_customers set synced_at = now() - interval '25 hours', period_end = now() - $2::interval
        where customer_id = $1`,
      [ann.customer, since],
    )
    await reconcile()
    expect(await planOf(shop, ann)).toBe(plan)
  })

  it('has nothing to cancel when its account is deleted', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await removeAtProvider(ann.customer)
    await shop.server.sql('delete from auth.users where id = $1', [ann.id])
    expect(await reconcile()).toMatchObject({ failures: 0 })
    expect(await rowOf(ann.customer)).toMatchObject({ done: true })
  })

  it('is released when its person opens the portal, which says that there is none', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    expect((await call(shop, ann, 'customer-portal')).status).toBe(200)
    await removeAtProvider(ann.customer)
    expect(await call(shop, ann, 'customer-portal')).toMatchObject({
      status: 404,
      body: { error: 'There is no subscription to manage yet.' },
    })
    expect(await rowOf(ann.customer)).toMatchObject({ plan: 'free', done: true, bound: false })
    expect(await planOf(shop, ann)).toBe('free')
  })
})

describe('a deleted account', () => {
  it('is no longer charged: its subscription is canceled, even when the first attempt fails', async () => {
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

  it('cannot be charged through an open checkout', async () => {
    const ann = await makeUser(shop.server)
    const session = await checkOut(shop, ann, prices.pro)
    const customer = await customerOf(shop, ann)
    await shop.server.sql('delete from auth.users where id = $1', [ann.id])
    await reconcile()
    expect(await shop.stripe.standIn.actions.pay(session, {})).toEqual({ kind: 'closed' })
    expect(await statusOf(customer)).toEqual([])
  })

  it('that paid at the last moment is canceled again', async () => {
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

  it('existing accounts keep their subscriptions', async () => {
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await reconcile()
    expect(await statusOf(ann.customer)).toEqual(['active'])
    expect((await call(shop, ann, 'check-subscription')).body).toMatchObject({ plan: 'pro' })
  })
})
