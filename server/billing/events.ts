import type Stripe from 'stripe'
import { idOf } from './read-truth.ts'

/** Events that say that something of a customer's money has changed; what, is read anew. At most 20 can be asked for. */
export const eventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'invoice.payment_failed',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_reinstated',
  'charge.dispute.funds_withdrawn',
] as const satisfies readonly Stripe.Event.Type[]

/** Refuses an event that says it comes from the future: a captured one must not stay good for long. */
const tolerance = 300

/**
 * Checks the signature over the raw body. The package refuses events that are older than the tolerance, and leaves
 * those dated ahead.
 *
 * @throws {Error} whose message says why, for the log
 */
export function readEvent(
  stripe: Stripe,
  rawBody: string,
  signature: string | null,
  secret: string,
): Stripe.Event {
  const event = stripe.webhooks.constructEvent(rawBody, signature ?? '', secret, tolerance)
  const signedAt = Number(/(?:^|,)t=(\d+)(?:,|$)/.exec(signature ?? '')?.[1])
  if (!(signedAt <= Date.now() / 1000 + tolerance)) throw new Error('Timestamp ahead of time')
  if (typeof event?.id !== 'string' || typeof event.data?.object !== 'object')
    throw new Error('Not an event')
  return event
}

export function isOurs(event: Stripe.Event): boolean {
  return (eventTypes as readonly string[]).includes(event.type)
}

/**
 * Whose event it is. Disputes and refunds name only the charge, so for those the provider is asked.
 *
 * @throws {Stripe.errors.StripeError}
 */
export async function customerOf(stripe: Stripe, event: Stripe.Event): Promise<string | null> {
  const object = event.data.object as {
    customer?: string | { id: string } | null
    charge?: unknown
  }
  const customer = idOf(object.customer)
  if (customer !== null || typeof object.charge !== 'string') return customer
  return idOf((await stripe.charges.retrieve(object.charge)).customer)
}
