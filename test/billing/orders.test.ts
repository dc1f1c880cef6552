import type Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { copyCustomer, plansOf, several } from './copies.ts'
import { deliver, deliverAll, makePayer, openShop, planOf, prices, type Shop } from './shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

function permutationsOf<T>(list: readonly T[]): T[][] {
  if (list.length < 2) return [[...list]]
  return list.flatMap((first, i) =>
    permutationsOf(list.toSpliced(i, 1)).map((rest) => [first, ...rest]),
  )
}

const story = [
  'checkout.session.completed',
  'customer.subscription.created',
  'invoice.paid',
  'charge.refunded',
  'customer.subscription.deleted',
]

/** The plan for someone who trusts the events: the control. */
function believed(events: readonly Stripe.Event[]): string {
  let plan = 'free'
  for (const { type, data } of events) {
    const { status } = data.object as { status?: string }
    if (type === 'checkout.session.completed' || type === 'invoice.paid') plan = 'pro'
    if (type.startsWith('customer.subscription')) plan = status === 'canceled' ? 'free' : 'pro'
  }
  return plan
}

describe('events out of order', () => {
  it(
    '120 orders of five events, one of them repeated, all end at the right plan',
    { tags: ['extended'] },
    async () => {
      const { actions } = shop.stripe.standIn
      const first = await makePayer(shop)
      const referrer = await makeUser(shop.server)
      await actions.refund(first.customer, 300)
      await actions.cancelAtPeriodEnd(first.customer, true)
      await shop.server.sql(
        `update stripe_stand_in.objects set body = body || '{"status": "canceled"}' where type = 'subscription' and customer_id = $1`,
        [first.customer],
      )
      // The end of the subscription, as its event says.
      await shop.server.sql(
        `update stripe_stand_in.objects set body = jsonb_set(jsonb_set(body, '{type}', '"customer.subscription.deleted"'),
          '{data,object,status}', '"canceled"')
        where id = (select id from stripe_stand_in.objects where type = 'event' and customer_id = $1
          and body->>'type' = 'customer.subscription.updated' order by ordinal desc limit 1)`,
        [first.customer],
      )
      shop.stripe.events.length = 0

      const orders = permutationsOf([0, 1, 2, 3, 4])
      const copies = await copyCustomer(shop, first.customer, orders.length)
      await shop.server.sql(
        `insert into app.referrals (referred_user_id, referrer_user_id) select u, $2 from unnest($1::uuid[]) u`,
        [copies.map(({ userId }) => userId), referrer.id],
      )
      let misled = 0
      await several(copies, 4, async (copy, i) => {
        const five = story.map((type) => {
          const event = copy.events.findLast((each) => each.type === type)
          if (!event) throw new Error(`no ${type}`)
          return event
        })
        const order = (orders[i] ?? []).flatMap((at) => five[at] ?? [])
        const twice = order[i % 5]
        const sent = twice ? order.toSpliced((i * 3) % 6, 0, twice) : order
        expect(sent).toHaveLength(6)
        if (believed(sent) !== 'free') misled++
        for (const event of sent) expect(await deliver(shop, event)).toBe(200)
      })
      expect(await plansOf(shop, copies)).toEqual(copies.map(() => 'free'))
      // Trusting the events would be wrong for many of these orders.
      expect(misled).toBeGreaterThan(30)

      const ids = [copies.map(({ userId }) => userId)]
      expect(
        await shop.server.sql(
          `select count(*)::int as invoices, sum(paid_cents)::int as paid, sum(refunded_cents)::int as refunded
          from app.billing_invoices where account_id = any ($1)`,
          ids,
        ),
      ).toEqual([{ invoices: 120, paid: 120 * 700, refunded: 120 * 300 }])
      expect(
        await shop.server.sql(
          `select kind, count(*)::int as lines, sum(amount_cents)::int as cents from app.commissions
          where payer_id = any ($1) group by kind order by kind`,
          ids,
        ),
      ).toEqual([
        { kind: 'earned', lines: 120, cents: 120 * 175 },
        { kind: 'refund', lines: 120, cents: -120 * 75 },
      ])
      expect(
        await shop.server.sql(
          `select count(*)::int as mails from app.mail_outbox m join app.profiles p on p.email = m.recipient
          where p.id = any ($1)`,
          ids,
        ),
      ).toEqual([{ mails: 120 }])
    },
  )

  it('a snapshot that was requested earlier never replaces a newer one', async () => {
    const ann = await makePayer(shop)
    const early = shop.stripe.events.find(({ type }) => type === 'invoice.paid')
    shop.stripe.events.length = 0
    // The first snapshot is held back until the second is applied.
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const { standIn } = shop.stripe
    const answer = standIn.fetch.bind(standIn)
    let isFirst = true
    standIn.fetch = async (url, init) => {
      const answered = await answer(url, init)
      if (typeof url === 'string' && url.includes('/v1/subscriptions') && isFirst) {
        isFirst = false
        await held
      }
      return answered
    }
    const slow = deliver(shop, early)
    while (isFirst) await new Promise((resolve) => setTimeout(resolve, 5))
    await standIn.actions.switchPlan(ann.customer, prices.business)
    await deliverAll(shop)
    expect(await planOf(shop, ann)).toBe('business')
    release()
    expect(await slow).toBe(200)
    standIn.fetch = answer
    expect(await planOf(shop, ann)).toBe('business')
  })
})
