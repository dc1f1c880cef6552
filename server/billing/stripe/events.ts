import type Stripe from 'stripe'
import type { FailedPayment, ProviderEvent } from '../provider.ts'
import { callStripe } from './client.ts'

/** Events after which a customer is read again. At most 20 can be asked for. */
export const stripeEventTypes = [
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

const toleranceSeconds = 300

/**
 * Verifies the signature over the raw body. The package refuses events that are older than the tolerance; those dated
 * ahead are refused here, because a captured event must not stay valid for longer.
 *
 * @throws {Error} with the reason, for the log
 */
export function verifyStripeEvent(
  stripe: Stripe,
  rawBody: string,
  signature: string | null,
  secret: string,
): Stripe.Event {
  const event = stripe.webhooks.constructEvent(rawBody, signature ?? '', secret, toleranceSeconds)
  const signedAt = Number(/(?:^|,)t=(\d+)(?:,|$)/.exec(signature ?? '')?.[1])
  if (!(signedAt <= Date.now() / 1000 + toleranceSeconds))
    throw new Error('Timestamp ahead of time')
  if (typeof event?.id !== 'string' || typeof event.data?.object !== 'object')
    throw new Error('Not an event')
  return event
}

/** @param livemode whether the secret key is for real money: events of the other mode are not relevant */
export function toProviderEvent(
  stripe: Stripe,
  livemode: boolean,
  event: Stripe.Event,
): ProviderEvent {
  const isRelevant = event.livemode === livemode && stripeEventTypes.some((t) => t === event.type)
  return {
    id: event.id,
    type: event.type,
    createdAt: new Date(event.created * 1000),
    readCustomerId: async () =>
      isRelevant ? callStripe(() => readCustomerId(stripe, event)) : null,
    failedPayment: failedPaymentOf(event),
  }
}

async function readCustomerId(stripe: Stripe, event: Stripe.Event): Promise<string | null> {
  const object = event.data.object as {
    customer?: string | { id: string } | null
    charge?: unknown
  }
  const customer = idOf(object.customer)
  // Disputes and refunds name only the charge.
  if (customer !== null || typeof object.charge !== 'string') return customer
  return idOf((await stripe.charges.retrieve(object.charge)).customer)
}

function failedPaymentOf(event: Stripe.Event): FailedPayment | undefined {
  if (event.type !== 'invoice.payment_failed') return undefined
  const invoice = event.data.object
  // At the checkout the person sees that the card was declined.
  if (invoice.billing_reason === 'subscription_create') return undefined
  const next = invoice.next_payment_attempt
  return {
    invoiceId: invoice.id,
    attempt: invoice.attempt_count,
    cents: invoice.amount_due,
    currency: invoice.currency,
    nextAttemptAt: next === null ? null : new Date(next * 1000),
  }
}

/** A reference is an id, or the object when it was expanded. */
export function idOf(reference: string | { id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}
