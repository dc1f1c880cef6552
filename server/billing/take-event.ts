import type Stripe from 'stripe'
import { markEvents } from './apply-truth.ts'
import { cancelWantedOf } from './cancel.ts'
import { isOurCustomer } from './customers.ts'
import { billingErrors } from './errors.ts'
import { customerOf, isOurs, readEvent } from './events.ts'
import { asBilling, type BillingParts } from './parts.ts'
import { lostSubscriptions } from './plan-of.ts'
import { askProvider, factsOf, isMissing } from './stripe-client.ts'
import { syncCustomer } from './sync.ts'

/** What became of an event. `known`: it had its effect before. */
export type EventOutcome = 'applied' | 'ignored' | 'known'

/**
 * Takes one event as the provider sends it. Whatever is thrown makes the provider send it again.
 *
 * @throws {HttpError} 400 for a bad signature, 503 when it cannot be taken now
 */
export async function takeEvent(
  parts: BillingParts,
  rawBody: string,
  signature: string | null,
): Promise<EventOutcome> {
  const { stripe, webhookSecret, log, livemode } = parts
  if (webhookSecret === undefined) {
    log.error('an event came, but STRIPE_WEBHOOK_SECRET is not set')
    throw billingErrors.webhookOff()
  }
  const event = verified(parts, rawBody, signature, webhookSecret)
  const facts = { event: event.id, type: event.type }
  if (event.livemode !== livemode || !isOurs(event)) return ignore(parts, event)
  if (await isMarked(parts, event.id)) return 'known'

  return askProvider(log, async () => {
    try {
      const customerId = await customerOf(stripe, event)
      if (customerId === null || !(await isOurCustomer(parts, customerId))) {
        log.info(facts, 'an event of somebody else was ignored')
        return ignore(parts, event)
      }
      const { known, truth } = await syncCustomer(parts, customerId, [event], 'webhook')
      if (lostSubscriptions(truth.subscriptions, truth.lost).length > 0)
        await cancelWantedOf(parts, customerId)
      return known ? 'known' : 'applied'
    } catch (error) {
      if (!isMissing(error)) throw error
      log.error({ ...factsOf(error), ...facts }, 'the provider does not know what its event names')
      return ignore(parts, event)
    }
  })
}

function verified(
  { stripe, log }: BillingParts,
  rawBody: string,
  signature: string | null,
  secret: string,
): Stripe.Event {
  try {
    return readEvent(stripe, rawBody, signature, secret)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown'
    log.warn({ reason }, 'an event with a bad signature was refused')
    throw billingErrors.badSignature()
  }
}

async function isMarked(parts: BillingParts, eventId: string): Promise<boolean> {
  const { rows } = await asBilling(parts, (db) =>
    db.query('select from app.billing_events where provider = $1 and event_id = $2', [
      parts.provider,
      eventId,
    ]),
  )
  return rows.length > 0
}

async function ignore(parts: BillingParts, event: Stripe.Event): Promise<EventOutcome> {
  const mark = { customerId: null, result: 'ignored', source: 'webhook' } as const
  const fresh = await asBilling(parts, (db) => markEvents(db, parts.provider, [event], mark))
  return fresh.length === 0 ? 'known' : 'ignored'
}
