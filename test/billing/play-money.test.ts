import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillDocument } from '#server/pages/web-app.ts'
import { monthAfter } from '#server/billing/play-money/account.ts'
import { playMoneyPrices } from '#server/billing/settings.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { call, paymentsAt, planOf } from './shop.ts'

// Without any configuration, on this machine, plans are bought with play money.
let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** Presses a button of a checkout or portal page. */
async function press(url: string, fields: Record<string, string>): Promise<number> {
  const { status } = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: server.url },
    body: new URLSearchParams(fields),
  })
  return status
}

const addressOf = async (user: TestUser, name: string, body: object = {}) =>
  String((await call({ server }, user, name, body)).body['url'])

async function makePlayer() {
  const user = await makeUser(server)
  const checkout = await addressOf(user, 'create-checkout', { priceId: playMoneyPrices.pro })
  expect(await press(checkout, { do: 'pay', card: '4242424242424242' })).toBe(303)
  return { user, portal: await addressOf(user, 'customer-portal') }
}

const isPlan = (user: TestUser, plan: string) =>
  expect.poll(() => planOf({ server }, user), { timeout: 240_000 }).toBe(plan)

it('play money goes through the same path as real money: paid, changed, disputed', async () => {
  const { user, portal } = await makePlayer()
  await isPlan(user, 'pro')
  await press(portal, { do: 'switch', price: playMoneyPrices.business })
  await isPlan(user, 'business')
  await press(portal, { do: 'dispute' })
  await isPlan(user, 'free')
  await press(portal, { do: 'dispute-lost' })
  // A lost dispute ends the subscription, by the same request as at Stripe.
  await expect
    .poll(async () => (await fetch(portal)).text(), { timeout: 240_000 })
    .toContain('There is no subscription.')
  const marks = await server.sql(
    `select count(*)::int as applied from app.billing_events where provider = 'play_money' and result = 'applied'`,
  )
  expect(marks[0]?.['applied']).toBeGreaterThan(3)
})

it.each([
  ['2026-01-31T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
  ['2027-12-31T10:00:00.000Z', '2028-01-31T10:00:00.000Z'],
  ['2028-01-30T10:00:00.000Z', '2028-02-29T10:00:00.000Z'],
  ['2026-04-30T10:00:00.000Z', '2026-05-30T10:00:00.000Z'],
])('a month after %s is %s', (start, end) => {
  expect(new Date(monthAfter(Date.parse(start))).toISOString()).toBe(end)
})

it('play money sends one email for a failed renewal', async () => {
  const { user, portal } = await makePlayer()
  await press(portal, { do: 'card-fails' })
  await press(portal, { do: 'advance-period' })
  const mails = () =>
    server.sql(`select template from app.mail_outbox where recipient = $1 order by 1`, [user.email])
  await expect
    .poll(mails, { timeout: 240_000 })
    .toEqual([{ template: 'payment-failed' }, { template: 'receipt' }])
})

it(
  'play money delivers events later that could not be handled at once',
  { tags: ['extended'] },
  async () => {
    const { user, portal } = await makePlayer()
    await isPlan(user, 'pro')
    await server.sql(
      `create function app.refuse_event() returns trigger language plpgsql set search_path = '' as $$ begin raise 'not now'; end $$`,
    )
    await server.sql(
      `create trigger refuse before insert on app.billing_events for each row execute function app.refuse_event()`,
    )
    await press(portal, { do: 'dispute' })
    expect(await planOf({ server }, user)).toBe('pro')
    await server.sql('drop trigger refuse on app.billing_events')
    await expect.poll(() => planOf({ server }, user), { timeout: 240_000 }).toBe('free')
  },
)

it('play money ends the subscription of a deleted account', async () => {
  const { user } = await makePlayer()
  await isPlan(user, 'pro')
  await server.sql('delete from auth.users where id = $1', [user.id])
  await server.context.billing.reconcile()
  const [row] = await server.sql(
    `select account->'subscriptions'->0->>'status' as status from app.play_money_customers where account_id = $1`,
    [user.id],
  )
  expect(row).toEqual({ status: 'canceled' })
})

it('play money gives no plan once this server has taken real money', async () => {
  const customer = `insert into app.billing_customers (provider, customer_id, account_id)
    values ('stripe', 'cus_real', gen_random_uuid())`
  const user = await makeUser(server)
  await server.sql(customer)
  const answer = await call({ server }, user, 'create-checkout', { priceId: playMoneyPrices.pro })
  expect(answer).toEqual({
    status: 503,
    body: { error: 'Payments are not set up on this server.' },
  })
  await server.sql(`delete from app.billing_customers where customer_id = 'cus_real'`)
  expect(await addressOf(user, 'create-checkout', { priceId: playMoneyPrices.pro })).toContain(
    '/sandbox/checkout/',
  )
})

it('play money accepts no webhook calls', async () => {
  const response = await fetch(`${server.url}/functions/v1/stripe-webhook`, {
    method: 'POST',
    headers: { 'stripe-signature': 't=1,v1=00' },
    body: '{}',
  })
  expect(response.status).toBe(503)
})

it('play money names the provider and the prices in the page', async () => {
  const html = await readFile(new URL('../../web/index.html', import.meta.url), 'utf8')
  const metas = (payments: TestServer['context']['config']['payments']) => {
    const { config, installation, tokens } = server.context
    const filled = fillDocument(html, { config: { ...config, payments }, installation, tokens })
    return [...filled.matchAll(/name="hoplet-(payments|price-\w+)" content="([^"]*)"/g)].map(
      ([, name, content]) => [name, content],
    )
  }
  expect(metas({ provider: 'play_money' })).toEqual([
    ['payments', 'play_money'],
    ['price-pro', 'price_play_pro'],
    ['price-business', 'price_play_business'],
  ])
  const { payments } = paymentsAt('http://127.0.0.1:1')
  expect(metas({ ...payments, prices: { pro: 'price_a', business: 'price_b' } })).toEqual([
    ['payments', 'stripe'],
    ['price-pro', 'price_a'],
    ['price-business', 'price_b'],
  ])
  expect(metas(undefined)).toEqual([
    ['payments', 'none'],
    ['price-pro', ''],
    ['price-business', ''],
  ])
})
