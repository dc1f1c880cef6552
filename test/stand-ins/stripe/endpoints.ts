import { asOfNow, createCheckout, expireCheckout } from './checkout.ts'
import { createCustomer, updateCustomer } from './customers.ts'
import { errors } from './errors.ts'
import { page, typesOf } from './lists.ts'
import { type Params, textOf } from './params.ts'
import { createPortal } from './portal.ts'
import { createRefund } from './refunds.ts'
import { cancelNow, updateSubscription } from './subscriptions.ts'
import { get, type Kind, type Work } from './work.ts'

interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below `/v1/`; `:id` is the object's own. */
  path: string
  /** The parameters besides `expand`; others are refused, as Stripe does. */
  takes: string
  handle: (work: Work, params: Params, id: string) => Promise<object>
}

const paging = 'limit starting_after ending_before created'

const one = (path: string, kind: Kind): Endpoint => ({
  method: 'GET',
  path: `${path}/:id`,
  takes: '',
  handle: (work, _params, id) => get(work, kind, id),
})

/** The calls that the server makes, and a few that tests make. */
export const endpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: 'customers',
    takes: 'email name description metadata phone preferred_locales',
    handle: createCustomer,
  },
  {
    method: 'GET',
    path: 'customers',
    takes: `${paging} email`,
    handle: (work, params) =>
      page(work, 'customer', '/v1/customers', params, like({ email: textOf(params, 'email') })),
  },
  one('customers', 'customer'),
  {
    method: 'POST',
    path: 'customers/:id',
    takes: 'email name description metadata phone preferred_locales',
    handle: updateCustomer,
  },
  {
    method: 'GET',
    path: 'subscriptions',
    takes: `${paging} customer status price`,
    handle: listSubscriptions,
  },
  one('subscriptions', 'subscription'),
  {
    method: 'POST',
    path: 'subscriptions/:id',
    takes:
      'cancel_at_period_end items metadata proration_behavior payment_behavior cancellation_details off_session',
    handle: updateSubscription,
  },
  {
    method: 'DELETE',
    path: 'subscriptions/:id',
    takes: 'invoice_now prorate cancellation_details',
    handle: async (work, _params, id) => cancelNow(work, await get(work, 'subscription', id)),
  },
  {
    method: 'POST',
    path: 'checkout/sessions',
    takes: `mode line_items customer client_reference_id success_url cancel_url expires_at metadata subscription_data
      allow_promotion_codes automatic_tax billing_address_collection customer_update locale payment_method_collection
      payment_method_types tax_id_collection ui_mode consent_collection custom_text saved_payment_method_options`,
    handle: createCheckout,
  },
  {
    method: 'GET',
    path: 'checkout/sessions',
    takes: `${paging} customer status subscription payment_intent`,
    handle: listCheckouts,
  },
  {
    method: 'GET',
    path: 'checkout/sessions/:id',
    takes: '',
    handle: async (work, _params, id) =>
      asOfNow(work, await get(work, 'checkout.session', id, 'id')),
  },
  {
    method: 'POST',
    path: 'checkout/sessions/:id/expire',
    takes: '',
    handle: (work, _params, id) => expireCheckout(work, id),
  },
  {
    method: 'POST',
    path: 'billing_portal/sessions',
    takes: 'customer return_url flow_data configuration locale on_behalf_of',
    handle: createPortal,
  },
  {
    method: 'GET',
    path: 'invoices',
    takes: `${paging} customer status subscription collection_method`,
    handle: listInvoices,
  },
  one('invoices', 'invoice'),
  {
    method: 'GET',
    path: 'charges',
    takes: `${paging} customer payment_intent`,
    handle: (work, params) =>
      page(work, 'charge', '/v1/charges', params, {
        customer: textOf(params, 'customer'),
        ...like({ payment_intent: textOf(params, 'payment_intent') }),
      }),
  },
  one('charges', 'charge'),
  {
    method: 'POST',
    path: 'refunds',
    takes: 'charge payment_intent amount reason metadata',
    handle: createRefund,
  },
  {
    method: 'GET',
    path: 'refunds',
    takes: `${paging} charge payment_intent`,
    handle: (work, params) => page(work, 'refund', '/v1/refunds', params, byPayment(params)),
  },
  {
    method: 'GET',
    path: 'disputes',
    takes: `${paging} charge payment_intent`,
    handle: (work, params) => page(work, 'dispute', '/v1/disputes', params, byPayment(params)),
  },
  one('disputes', 'dispute'),
  {
    method: 'GET',
    path: 'events',
    takes: `${paging} types type delivery_success`,
    handle: (work, params) => page(work, 'event', '/v1/events', params, typesOf(params)),
  },
  one('events', 'event'),
  one('payment_intents', 'payment_intent'),
  one('payment_methods', 'payment_method'),
]

function like(wanted: Record<string, string | undefined>): { like?: Record<string, unknown> } {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  return given.length === 0 ? {} : { like: Object.fromEntries(given) }
}

function byPayment(params: Params) {
  return like({
    charge: textOf(params, 'charge'),
    payment_intent: textOf(params, 'payment_intent'),
  })
}

const statuses = [
  'active',
  'trialing',
  'past_due',
  'incomplete',
  'incomplete_expired',
  'canceled',
  'unpaid',
  'paused',
]

/** Without a status, the ones that are not canceled. */
async function listSubscriptions(work: Work, params: Params): Promise<object> {
  const status = textOf(params, 'status')
  if (status !== undefined && status !== 'all' && !statuses.includes(status)) {
    throw errors.wrong(
      `Invalid status: must be one of all, ended, or ${statuses.join(', ')}`,
      'status',
    )
  }
  return page(work, 'subscription', '/v1/subscriptions', params, {
    customer: await customerOf(work, params),
    ...(status === undefined
      ? { unlike: { status: 'canceled' } }
      : status === 'all'
        ? {}
        : like({ status })),
  })
}

async function listInvoices(work: Work, params: Params): Promise<object> {
  const subscription = textOf(params, 'subscription')
  return page(work, 'invoice', '/v1/invoices', params, {
    customer: await customerOf(work, params),
    like: {
      ...like({ status: textOf(params, 'status') }).like,
      ...(subscription !== undefined && {
        parent: { subscription_details: { subscription } },
      }),
    },
  })
}

async function listCheckouts(work: Work, params: Params): Promise<object> {
  const status = textOf(params, 'status')
  const found = await page(work, 'checkout.session', '/v1/checkout/sessions', params, {
    customer: await customerOf(work, params),
    ...like({ subscription: textOf(params, 'subscription') }),
  })
  const data = found.data
    .map((session) => asOfNow(work, session))
    .filter((session) => status === undefined || session.status === status)
  return { ...found, data }
}

async function customerOf(work: Work, params: Params): Promise<string | undefined> {
  const id = textOf(params, 'customer')
  if (id !== undefined) await get(work, 'customer', id, 'customer')
  return id
}
