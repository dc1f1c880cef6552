import type Stripe from 'stripe'
import { type Offer, offerOf, planObjectOf, priceOf } from './catalog.ts'
import { errors } from './errors.ts'
import { idOf, newId } from './ids.ts'
import { bill } from './invoices.ts'
import { flagOf, listOf, metadataOf, type Params, textOf } from './params.ts'
import { emit, get, save, type Work } from './work.ts'

/** The same day of the next month, or its last one. */
export function monthAfter(seconds: number, anchor = seconds): number {
  const date = new Date(seconds * 1000)
  const anchorDay = new Date(anchor * 1000).getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + 1)
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(anchorDay, last))
  return date.getTime() / 1000
}

/** The one item that our subscriptions have. */
export function itemOf(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  const item = subscription.items.data[0]
  if (!item) throw new Error(`subscription ${subscription.id} has no item`)
  return item
}

export function offerOfSubscription(subscription: Stripe.Subscription): Offer {
  return offerOf(itemOf(subscription).price.id)
}

/** Starts a subscription with its first payment; the card is known to work. */
export async function startSubscription(
  work: Work,
  customer: Stripe.Customer,
  offer: Offer,
  metadata: Record<string, string>,
): Promise<{ subscription: Stripe.Subscription; invoice: Stripe.Invoice }> {
  const subscription = newSubscription(work, customer, offer, metadata)
  const { invoice } = await bill(work, {
    customer,
    subscription,
    offer,
    cents: offer.cents,
    reason: 'subscription_create',
    period: { start: work.now, end: itemOf(subscription).current_period_end },
  })
  await emit(work, 'customer.subscription.created', await save(work, subscription))
  subscription.status = 'active'
  await emit(work, 'customer.subscription.updated', await save(work, subscription), {
    status: 'incomplete',
  })
  return { subscription, invoice }
}

/** `POST subscriptions/:id`: the difference is charged at once, without the customer. */
export async function updateSubscription(
  work: Work,
  params: Params,
  id: string,
): Promise<Stripe.Subscription> {
  const subscription = await get(work, 'subscription', id)
  if (subscription.status === 'canceled') {
    throw errors.refused(
      'A canceled subscription can only update its cancellation_details and metadata.',
    )
  }
  subscription.metadata = { ...subscription.metadata, ...metadataOf(params) }
  const atEnd = flagOf(params, 'cancel_at_period_end')
  const [item] = listOf(params, 'items')
  const price = typeof item === 'object' ? textOf(item, 'price') : undefined
  if (price !== undefined) await switchPrice(work, subscription, offerOf(price))
  if (atEnd !== undefined) return cancelAtPeriodEnd(work, subscription, atEnd)
  return save(work, subscription)
}

export async function cancelAtPeriodEnd(
  work: Work,
  subscription: Stripe.Subscription,
  wanted: boolean,
): Promise<Stripe.Subscription> {
  const { cancel_at_period_end, cancel_at, canceled_at } = subscription
  subscription.cancel_at_period_end = wanted
  subscription.cancel_at = wanted ? itemOf(subscription).current_period_end : null
  subscription.canceled_at = wanted ? work.now : null
  await save(work, subscription)
  if (cancel_at_period_end !== wanted) {
    await emit(work, 'customer.subscription.updated', subscription, {
      cancel_at_period_end,
      cancel_at,
      canceled_at,
    })
  }
  return subscription
}

/** `DELETE subscriptions/:id`, and the end of a subscription. */
export async function cancelNow(
  work: Work,
  subscription: Stripe.Subscription,
  reason: 'cancellation_requested' | 'payment_failed' = 'cancellation_requested',
): Promise<Stripe.Subscription> {
  if (subscription.status === 'canceled') {
    throw errors.missing('subscription', subscription.id, 'id')
  }
  subscription.status = 'canceled'
  subscription.canceled_at ??= work.now
  subscription.ended_at = work.now
  subscription.cancellation_details = {
    comment: null,
    feedback: null,
    feedback_option: null,
    reason,
  }
  await emit(work, 'customer.subscription.deleted', await save(work, subscription))
  return subscription
}

/** Changes the price at once. A higher price costs the difference; a lower one refunds nothing. */
export async function switchPrice(
  work: Work,
  subscription: Stripe.Subscription,
  offer: Offer,
): Promise<void> {
  const before = offerOfSubscription(subscription)
  if (before.priceId === offer.priceId) return
  const item = itemOf(subscription)
  const previous = { items: structuredClone(subscription.items) }
  item.price = priceOf(offer)
  item.plan = planObjectOf(offer)
  const difference = offer.cents - before.cents
  if (difference > 0) {
    const customer = await get(work, 'customer', idOf(subscription.customer) ?? '')
    const { paid } = await bill(work, {
      customer,
      subscription,
      offer,
      cents: difference,
      reason: 'subscription_update',
      period: { start: work.now, end: item.current_period_end },
    })
    if (!paid) subscription.status = 'past_due'
  }
  await emit(work, 'customer.subscription.updated', await save(work, subscription), previous)
}

function newSubscription(
  work: Work,
  customer: Stripe.Customer,
  offer: Offer,
  metadata: Record<string, string>,
): Stripe.Subscription {
  const id = newId('sub')
  return {
    id,
    object: 'subscription',
    application: null,
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: false, liability: null },
    billing_cycle_anchor: work.now,
    billing_cycle_anchor_config: null,
    billing_mode: { flexible: null, type: 'classic' },
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: null,
    collection_method: 'charge_automatically',
    created: work.now,
    currency: 'usd',
    customer: customer.id,
    customer_account: null,
    days_until_due: null,
    default_payment_method: customer.invoice_settings.default_payment_method,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: 'self' },
    },
    items: {
      object: 'list',
      data: [newItem(work, id, offer)],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: null,
    livemode: false,
    managed_payments: null,
    metadata,
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: 'off',
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: null,
    start_date: work.now,
    status: 'incomplete',
    test_clock: null,
    transfer_data: null,
    trial_end: null,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: 'create_invoice' },
    },
    trial_start: null,
  }
}

function newItem(work: Work, subscription: string, offer: Offer): Stripe.SubscriptionItem {
  return {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: work.now,
    current_period_end: monthAfter(work.now),
    current_period_start: work.now,
    current_trial: null,
    discounts: [],
    metadata: {},
    plan: planObjectOf(offer),
    price: priceOf(offer),
    quantity: 1,
    subscription,
    tax_rates: [],
  }
}
