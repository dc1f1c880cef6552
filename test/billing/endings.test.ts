import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeAdmin, rpc } from '#test/admin/calls.ts'
import { makeUser } from '#test/factories.ts'
import {
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
})

const reconcile = () => shop.server.context.billing.reconcile()

const statusesOf = async (customer: string) =>
  (
    await shop.server.sql<{ status: string }>(
      `select body->>'status' as status from stripe_stand_in.objects where type = 'subscription' and customer_id = $1
        order by ordinal`,
      [customer],
    )
  ).map(({ status }) => status)

const countsOf = async (customer: string) =>
  (
    await shop.server.sql(
      `select (select count(*)::int from app.billing_invoices where customer_id = $1) as invoices,
        (select count(*)::int from app.commissions c join app.billing_customers b on b.account_id = c.payer_id
          where b.customer_id = $1 and c.kind = 'earned') as earned`,
      [customer],
    )
  )[0]

/** A payer with an affiliate; the bank took the first payment back. */
async function makeLoser() {
  const referrer = await makeUser(shop.server)
  const ann = await makePayer(shop)
  await shop.server.sql(
    'insert into app.referrals (referred_user_id, referrer_user_id) values ($1, $2)',
    [ann.id, referrer.id],
  )
  await deliverAll(shop)
  const { actions } = shop.stripe.standIn
  await actions.openDispute(ann.customer)
  await deliverAll(shop)
  expect(await statusesOf(ann.customer)).toEqual(['active'])
  await actions.closeDispute(ann.customer, false)
  return ann
}

describe('a lost dispute', () => {
  it('ends the subscription: nothing is charged, nothing earned, and a new one gives the plan', async () => {
    const ann = await makeLoser()
    await deliverAll(shop)
    expect(await statusesOf(ann.customer)).toEqual(['canceled'])
    const before = await countsOf(ann.customer)
    await shop.stripe.standIn.actions.advance('month')
    await deliverAll(shop)
    expect(await countsOf(ann.customer)).toEqual(before)
    expect(await planOf(shop, ann)).toBe('free')

    const session = await checkOut(shop, ann, prices.pro)
    await shop.stripe.standIn.actions.pay(session, {})
    await deliverAll(shop)
    await reconcile()
    await deliverAll(shop)
    expect(await planOf(shop, ann)).toBe('pro')
    expect(await statusesOf(ann.customer)).toEqual(['canceled', 'active'])
  })

  it('ends the subscription even when the provider fails at first', async () => {
    const ann = await makeLoser()
    shop.stripe.fault = (each) => (each.startsWith('DELETE') ? 500 : undefined)
    await deliverAll(shop)
    expect(await statusesOf(ann.customer)).toEqual(['active'])
    shop.stripe.fault = () => undefined
    await reconcile()
    expect(await statusesOf(ann.customer)).toEqual(['canceled'])
  })

  it('of an ended subscription leaves the next one alone', async () => {
    const ann = await makeLoser()
    await deliverAll(shop)
    const session = await checkOut(shop, ann, prices.business)
    await shop.stripe.standIn.actions.pay(session, {})
    await deliverAll(shop)
    // The request is still there: the process died just before it was cleared.
    await shop.server.sql(
      'update app.billing_customers set cancel_requested_at = now() where customer_id = $1',
      [ann.customer],
    )
    await reconcile()
    expect(await statusesOf(ann.customer)).toEqual(['canceled', 'active'])
    const [row] = await shop.server.sql(
      'select cancel_requested_at, canceled_at from app.billing_customers where customer_id = $1',
      [ann.customer],
    )
    expect(row).toEqual({ cancel_requested_at: null, canceled_at: null })
  })
})

describe('a blocked account', () => {
  it('is no longer charged, and can subscribe again after the block is lifted', async () => {
    const admin = await makeAdmin(shop.server)
    const act = async (name: string, value: string) =>
      expect((await rpc(shop.server, admin, name, { _kind: 'user', _value: value })).status).toBe(
        204,
      )
    const ann = await makePayer(shop)
    await deliverAll(shop)
    const bob = await makeUser(shop.server)
    const open = await checkOut(shop, bob, prices.pro)
    await act('admin_block', ann.id)
    await act('admin_block', bob.id)
    await reconcile()
    expect(await statusesOf(ann.customer)).toEqual(['canceled'])
    expect(await shop.stripe.standIn.actions.pay(open, {})).toEqual({ kind: 'closed' })
    expect(await statusesOf(await customerOf(shop, bob))).toEqual([])

    await act('admin_unblock', ann.id)
    const again = await shop.server.sql(
      `select cancel_requested_at, canceled_at, plan from app.billing_customers where customer_id = $1`,
      [ann.customer],
    )
    expect(again).toEqual([{ cancel_requested_at: null, canceled_at: null, plan: 'free' }])
  })

  it('that is unblocked at once keeps its subscription', async () => {
    const admin = await makeAdmin(shop.server)
    const ann = await makePayer(shop)
    await deliverAll(shop)
    await rpc(shop.server, admin, 'admin_block', { _kind: 'user', _value: ann.id })
    await rpc(shop.server, admin, 'admin_unblock', { _kind: 'user', _value: ann.id })
    await reconcile()
    expect(await statusesOf(ann.customer)).toEqual(['active'])
  })
})
