import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer } from '#test/server.ts'
import { copyCustomer } from './copies.ts'
import {
  deliver,
  deliverAll,
  makePayer,
  openShop,
  paymentsAt,
  planOf,
  post,
  type Shop,
  signed,
} from './shop.ts'

let shop: Shop

beforeAll(async () => {
  shop = await openShop()
})
afterAll(() => shop.close())

/** The waiting event of that type. */
function eventOf(type: string) {
  const event = shop.stripe.events.find((each) => each.type === type)
  if (!event) throw new Error(`no ${type}`)
  return event
}

const marks = (id: string) =>
  shop.server.sql('select result, source from app.billing_events where event_id = $1', [id])

describe('forged events', () => {
  it('of twenty vectors exactly the three legitimate ones are accepted', async () => {
    const ann = await makePayer(shop)
    const event = eventOf('customer.subscription.created')
    shop.stripe.events.length = 0
    const body = JSON.stringify(event)
    const now = Math.floor(Date.now() / 1000)
    const good = signed(body)
    const v1 = /v1=(\w+)/.exec(good)?.[1] ?? ''
    const t = /t=(\d+)/.exec(good)?.[1] ?? ''
    const tampered = body.replace(ann.customer, `${ann.customer.slice(0, -1)}_`)
    const vectors: [what: string, status: number, body: string, header: string | null][] = [
      ['no header', 400, body, null],
      ['an empty header', 400, body, ''],
      ['noise', 400, body, 'noise'],
      ['no time', 400, body, `v1=${v1}`],
      ['no signature', 400, body, `t=${t}`],
      ['another secret', 400, body, signed(body, { secret: 'whsec_other' })],
      ['an empty secret', 400, body, signed(body, { secret: ' ' })],
      ['another customer in the body', 400, tampered, good],
      ['one byte more', 400, `${body} `, good],
      ['serialized again', 400, JSON.stringify(event, null, 2), good],
      ['no body', 400, '', good],
      ['the old scheme only', 400, body, `t=${t},v0=${v1}`],
      ['a shortened signature', 400, body, `t=${t},v1=${v1.slice(0, -1)}`],
      ['upper case', 400, body, `t=${t},v1=${v1.toUpperCase()}`],
      ['another time than was signed', 400, body, `t=${Number(t) + 1},v1=${v1}`],
      ['301 s old', 400, body, signed(body, { timestamp: now - 301 })],
      ['from 310 s ahead', 400, body, signed(body, { timestamp: now + 310 })],
      [
        'two signatures, while the secret is changed',
        200,
        body,
        `t=${t},v1=${'0'.repeat(64)},v1=${v1}`,
      ],
      ['290 s old', 200, body, signed(body, { timestamp: now - 290 })],
      ['as it should be', 200, body, good],
    ]
    const statuses: [string, number][] = []
    for (const [what, , text, header] of vectors) {
      statuses.push([what, await post(shop, text, header)])
      if (statuses.length === 17) {
        expect(await marks(event.id)).toEqual([])
        expect(await planOf(shop, ann)).toBe('free')
      }
    }
    expect(statuses).toEqual(vectors.map(([what, status]) => [what, status]))
    expect(vectors.filter(([, status]) => status === 200)).toHaveLength(3)
    expect(await planOf(shop, ann)).toBe('pro')
  })

  it('signed text that is not an event, or is too large', async () => {
    for (const text of ['[]', '1', 'null', '{}', '{"id":"evt_1"}', 'not json'])
      expect([text, await post(shop, text)]).toEqual([text, 400])
    expect(await post(shop, JSON.stringify({ id: 'x'.repeat(1024 * 1024) }))).toBe(413)
  })

  it('without a secret no event is accepted: 503, so that it is sent again', async () => {
    const bare = await startTestServer({
      payments: { ...paymentsAt(shop.stripe.url).payments, webhookSecret: undefined },
    })
    try {
      expect(await post({ server: bare }, '{}', signed('{}'))).toBe(503)
      expect(await post({ server: bare }, '{}', null)).toBe(503)
    } finally {
      await bare.close()
    }
  })

  it('only POST', async () => {
    const url = `${shop.server.url}/functions/v1/stripe-webhook`
    expect((await fetch(url)).status).toBe(405)
  })
})

describe('events that are not ours', () => {
  it('of live payments are ignored by a test server', async () => {
    const ann = await makePayer(shop)
    const event = { ...eventOf('invoice.paid'), livemode: true, id: 'evt_live' }
    shop.stripe.calls.length = 0
    expect(await deliver(shop, event)).toBe(200)
    expect(shop.stripe.calls).toEqual([])
    expect(await marks('evt_live')).toEqual([{ result: 'ignored', source: 'webhook' }])
    expect(await planOf(shop, ann)).toBe('free')
    // As a test event it has its effect.
    expect(await deliver(shop, eventOf('invoice.paid'))).toBe(200)
    expect(await planOf(shop, ann)).toBe('pro')
    shop.stripe.events.length = 0
  })

  it('of test payments are ignored by a live server', async () => {
    const live = await startTestServer({
      payments: { ...paymentsAt(shop.stripe.url).payments, secretKey: 'sk_live_x' },
    })
    await live.context.billing.reconcile()
    try {
      const event = {
        id: 'evt_test',
        object: 'event',
        type: 'invoice.paid',
        created: 1,
        livemode: false,
        data: { object: { customer: 'cus_x' } },
      }
      shop.stripe.calls.length = 0
      expect(await deliver({ server: live }, event)).toBe(200)
      expect(shop.stripe.calls).toEqual([])
      expect(await live.sql('select result from app.billing_events')).toEqual([
        { result: 'ignored' },
      ])
    } finally {
      await live.close()
    }
  })

  it('of a foreign customer are ignored and marked', async () => {
    const before = await shop.server.sql(
      'select count(*) from app.user_plans where plan_type <> $1',
      ['free'],
    )
    for (const customer of ['cus_foreign', null, undefined, 7, { id: 'cus_foreign' }]) {
      const id = `evt_foreign_${JSON.stringify(customer)}`
      const event = {
        id,
        object: 'event',
        type: 'invoice.paid',
        created: 1,
        livemode: false,
        data: { object: { customer } },
      }
      expect(await deliver(shop, event)).toBe(200)
      expect(await marks(id)).toEqual([{ result: 'ignored', source: 'webhook' }])
    }
    expect(
      await shop.server.sql('select count(*) from app.user_plans where plan_type <> $1', ['free']),
    ).toEqual(before)
  })

  it('of another type are ignored', async () => {
    const event = {
      id: 'evt_other',
      object: 'event',
      type: 'product.created',
      created: 1,
      livemode: false,
      data: { object: {} },
    }
    expect(await deliver(shop, event)).toBe(200)
    expect(await marks('evt_other')).toEqual([{ result: 'ignored', source: 'webhook' }])
  })

  it('an invented payment of our customer has no effect: the provider is asked', async () => {
    const ann = await makeUser(shop.server)
    await shop.server.context.billing.openCheckout(ann.id, 'price_test_pro')
    const [row] = await shop.server.sql(
      'select customer_id from app.billing_customers where user_id = $1',
      [ann.id],
    )
    const event = {
      id: 'evt_invented',
      object: 'event',
      type: 'customer.subscription.updated',
      created: 1,
      livemode: false,
      data: {
        object: {
          id: 'sub_x',
          customer: row?.customer_id,
          status: 'active',
          items: { data: [{ price: { id: 'price_test_business' } }] },
        },
      },
    }
    expect(await deliver(shop, event)).toBe(200)
    expect(await marks('evt_invented')).toEqual([{ result: 'applied', source: 'webhook' }])
    expect(await planOf(shop, ann)).toBe('free')
  })
})

describe('while the provider is down', () => {
  it('the event is refused with 503, so that it is sent again', async () => {
    const ann = await makePayer(shop)
    const event = eventOf('invoice.paid')
    for (const fault of ['down', 500, 429, 401] as const) {
      shop.stripe.fault = () => fault
      expect(await deliver(shop, event)).toBe(503)
      expect(await marks(event.id)).toEqual([])
    }
    shop.stripe.fault = () => undefined
    expect(await deliver(shop, event)).toBe(200)
    expect(await planOf(shop, ann)).toBe('pro')
    await deliverAll(shop)
  })
})

it(
  'the server gives twenty parallel copies of an event one effect, twenty rounds, a third of them failing',
  { tags: ['extended'] },
  async () => {
    const first = await makePayer(shop)
    const people = await copyCustomer(shop, first.customer, 20)
    for (const { userId, events } of people) {
      const event = events.find(({ type }) => type === 'invoice.paid')
      let calls = 0
      shop.stripe.fault = (each) =>
        each === 'GET /v1/charges' && calls++ % 3 === 0 ? 500 : undefined
      const statuses = await Promise.all(Array.from({ length: 20 }, () => deliver(shop, event)))
      shop.stripe.fault = () => undefined
      expect(statuses.every((status) => status === 200 || status === 503)).toBe(true)
      expect(statuses).toContain(200)
      expect(await marks(event?.id ?? '')).toHaveLength(1)
      expect(
        await shop.server.sql(
          `select (select plan_type from app.user_plans where user_id = $1) as plan,
          (select count(*)::int from app.billing_invoices where account_id = $1) as invoices,
          (select count(*)::int from app.mail_outbox m join app.profiles p on p.email = m.recipient where p.id = $1) as mails`,
          [userId],
        ),
      ).toEqual([{ plan: 'pro', invoices: 1, mails: 1 }])
    }
  },
)
