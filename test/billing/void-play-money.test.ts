import { createJobs } from '#server/primitives/jobs.ts'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Billing, createBilling } from '#server/billing/billing.ts'
import { playMoneyPrices } from '#server/billing/settings.ts'
import { makeAdmin, rpc } from '#test/admin/calls.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { startStripeServer, type StripeServer } from '#test/stand-ins/stripe/server.ts'
import { call, paymentsAt, planOf, prices } from './shop.ts'

// Plans are bought with play money and its clock is advanced; then the same database gets Stripe.
let playing: TestServer
let real: { server: TestServer; billing: Billing }
let stripe: StripeServer
let payer: TestUser
let upgraded: TestUser
let referrer: TestUser

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 240_000 })

async function press(url: string, fields: Record<string, string>): Promise<void> {
  const { status } = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: playing.url },
    body: new URLSearchParams(fields),
  })
  expect(status).toBe(303)
}

async function buy(user: TestUser): Promise<string> {
  const open = async (name: string, body: object = {}) =>
    String((await call({ server: playing }, user, name, body)).body['url'])
  const checkout = await open('create-checkout', { priceId: playMoneyPrices.pro })
  await press(checkout, { do: 'pay', card: '4242424242424242' })
  await eventually(async () => expect(await planOf({ server: playing }, user)).toBe('pro'))
  return open('customer-portal')
}

const linesOf = () =>
  playing.sql<{ status: string }>(
    'select status from app.commissions where affiliate_user_id = $1',
    [referrer.id],
  )

beforeAll(async () => {
  playing = await startTestServer()
  referrer = await makeUser(playing)
  payer = await makeUser(playing)
  upgraded = await makeUser(playing)
  await playing.sql(`insert into app.affiliate_codes (user_id, code) values ($1, 'PLAYERS7')`, [
    referrer.id,
  ])
  await playing.sql(
    'insert into app.referrals (referred_user_id, referrer_user_id) values ($1, $2)',
    [payer.id, referrer.id],
  )
  const portal = await buy(payer)
  await buy(upgraded)
  await playing.sql(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
    upgraded.id,
  ])
  await press(portal, { do: 'advance-month' })
  await press(portal, { do: 'advance-month' })
  await eventually(async () => expect(await linesOf()).toHaveLength(3))
  await playing.context.billing.close()

  stripe = await startStripeServer()
  stripe.open(playing.databaseUrl)
  const keys = await readFile(`${playing.context.config.dataDir}/keys.json`, 'utf8')
  const { signingKey } = JSON.parse(keys) as { signingKey: unknown }
  const server = await startTestServer({
    ...paymentsAt(stripe.url),
    databaseUrl: playing.databaseUrl,
    publicUrl: playing.url,
    signingKey: JSON.stringify(signingKey),
  })
  real = { server, billing: server.context.billing }
})
afterAll(async () => {
  await real?.server.close()
  await playing?.close()
  await stripe?.close()
})

describe('a server that took play money and now takes real money', () => {
  it('lets the plans bought with play money fall to free, and says why', async () => {
    await expect.poll(() => planOf(real, payer), { timeout: 240_000 }).toBe('free')
    expect((await call(real, payer, 'check-subscription')).body).toEqual({
      subscribed: false,
      plan: 'free',
      subscription_end: null,
      voided_plan: 'pro',
    })
  })

  it('leaves the plan that an admin has set', async () => {
    expect((await call(real, upgraded, 'check-subscription')).body).toEqual({
      subscribed: false,
      plan: 'business',
      subscription_end: null,
    })
  })

  it('cancels the commissions, so that they are not earned, due or paid out', async () => {
    expect(await linesOf()).toEqual(Array(3).fill({ status: 'canceled' }))
    expect(
      await playing.sql(
        'select total_earnings_cents::int as cents from app.affiliate_codes where user_id = $1',
        [referrer.id],
      ),
    ).toEqual([{ cents: 0 }])
    const admin = await makeAdmin(playing)
    expect((await rpc(real.server, admin, 'admin_payouts_due')).body).toEqual([])
    const paid = await rpc(real.server, admin, 'admin_make_payout', { _affiliate: referrer.id })
    expect(paid.body).toBeNull()
  })

  it('does not ask the provider about customers of play money again', async () => {
    const rows = await playing.sql(
      `select canceled_at is not null as done from app.billing_customers where provider = 'play_money'`,
    )
    expect(rows).toEqual([{ done: true }, { done: true }])
  })

  it('tells the admins', async () => {
    const admin = await makeAdmin(playing)
    const { body } = await call(real, admin, 'system-status')
    expect(body['reconcile']).toMatchObject({ voidedPlans: 2 })
  })

  it('never asks Stripe about the future, even when an old clock was ahead', async () => {
    await playing.sql(
      `insert into app.billing_reconciles (provider, read_until) values ('stripe', now() + interval '2 months')
        on conflict (provider) do update set read_until = excluded.read_until`,
    )
    const { body } = await call(real, payer, 'create-checkout', { priceId: prices.pro })
    await stripe.standIn.actions.pay(String(body['url']).split('/').at(-1) ?? '', {})
    // Its events never come; the next run finds them.
    expect(await real.billing.reconcile()).toMatchObject({ drift: 1, failures: 0 })
    expect(await planOf(real, payer)).toBe('pro')
    expect((await call(real, payer, 'check-subscription')).body).not.toHaveProperty('voided_plan')
    const [row] = await playing.sql(
      `select read_until <= now() as past from app.billing_reconciles where provider = 'stripe'`,
    )
    expect(row).toEqual({ past: true })
  })

  it('uses the clock of the database', async () => {
    const [row] = await playing.sql(
      `select synced_at <= now() as synced, (select ahead = '0' from app.play_money_clock) as clock
        from app.billing_customers where provider = 'stripe' and user_id = $1`,
      [payer.id],
    )
    expect(row).toEqual({ synced: true, clock: true })
  })
})

it('play money is also void on a server without any payments', async () => {
  const before = await startTestServer()
  try {
    const user = await makeUser(before)
    const playingNow = playing
    playing = before
    await buy(user)
    playing = playingNow
    const { config, database, log } = before.context
    await before.context.billing.close()
    const none = createBilling({
      config: { ...config, payments: undefined },
      database,
      log,
      jobs: createJobs({ log }),
    })
    await expect
      .poll(async () => (await none.subscriptionOf(user.id)).plan, { timeout: 240_000 })
      .toBe('free')
    await none.close()
  } finally {
    await before.close()
  }
})
