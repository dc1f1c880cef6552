import type Stripe from 'stripe'
import { applyTruth, type Reading } from './apply-truth.ts'
import { asBilling, type BillingParts } from './parts.ts'
import { planOf } from './plan-of.ts'
import { readTruth, type Truth } from './read-truth.ts'

interface Synced {
  truth: Truth
  /** Every event had its effect before. */
  known: boolean
  /** The plan is another one than we had. */
  changed: boolean
}

/**
 * Reads one customer at the provider and makes our tables follow. Nothing that an event says is believed but that there
 * is something to read.
 *
 * @throws {Stripe.errors.StripeError | DatabaseUnavailableError} then nothing has changed
 */
export async function syncCustomer(
  parts: BillingParts,
  customerId: string,
  events: readonly Stripe.Event[] = [],
  source: Reading['source'] = 'reconcile',
): Promise<Synced> {
  const { provider, stripe, prices } = parts
  const ticket = await drawTicket(parts)
  const truth = await readTruth(stripe, prices, customerId)
  const decision = planOf(truth.subscriptions, truth.disputed, prices)
  const upgradeUrl = parts.upgradeUrl()
  const reading = { provider, customerId, ticket, truth, decision, events, source, upgradeUrl }
  const outcome = await asBilling(parts, (db) => applyTruth(db, reading))
  if (outcome.changed) {
    const { plan, subscription } = decision
    parts.log.info(
      { customer: customerId, plan, subscription_status: subscription?.status, source },
      'plan follows the subscription',
    )
  }
  return { truth, ...outcome }
}

async function drawTicket(parts: BillingParts): Promise<string> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ ticket: string }>(`select nextval('app.billing_tickets') as ticket`),
  )
  return rows[0]?.ticket ?? '0'
}
