import { markEvents } from './apply-snapshot.ts'
import { cancelRequestedFor } from './cancel-requests.ts'
import { isOurCustomer } from './customers.ts'
import { asBilling, type BillingDeps } from './deps.ts'
import { billingErrors, orProviderDown } from './errors.ts'
import { lostSubscriptions } from './plan-decision.ts'
import { errorFacts, isMissing, type ProviderEvent } from './provider.ts'
import { syncCustomer } from './sync-customer.ts'

/** `known`: the event had its effect before. */
export type EventOutcome = 'applied' | 'ignored' | 'known'

/**
 * Verifies and handles a webhook call. Any error makes the provider send the event again.
 *
 * @throws {HttpError} 400 for a bad signature, 503 when it cannot be handled now
 */
export async function handleWebhook(
  deps: BillingDeps,
  rawBody: string,
  signature: string | null,
): Promise<EventOutcome> {
  const { provider, log } = deps
  if (!provider.readWebhook) {
    log.error('a webhook call came, but webhooks are not set up')
    throw billingErrors.webhookOff()
  }
  let event: ProviderEvent
  try {
    event = provider.readWebhook(rawBody, signature)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown'
    log.warn({ reason }, 'an event with a bad signature was refused')
    throw billingErrors.badSignature()
  }
  return orProviderDown(log, () => handleEvent(deps, event))
}

/** Reads the event's customer again and applies what was read. @throws {PaymentProviderError} */
export async function handleEvent(deps: BillingDeps, event: ProviderEvent): Promise<EventOutcome> {
  if (!event.isRelevant) return ignore(deps, event)
  if (await isMarked(deps, event.id)) return 'known'
  try {
    const customerId = await event.readCustomerId()
    if (customerId === null || !(await isOurCustomer(deps, customerId))) {
      deps.log.info({ event: event.id, type: event.type }, 'an event of a foreign customer ignored')
      return await ignore(deps, event)
    }
    const { known, snapshot } = await syncCustomer(deps, customerId, [event], 'webhook')
    if (lostSubscriptions(snapshot).length > 0) await cancelRequestedFor(deps, customerId)
    return known ? 'known' : 'applied'
  } catch (error) {
    if (!isMissing(error)) throw error
    const facts = { ...errorFacts(error), event: event.id, type: event.type }
    deps.log.error(facts, 'the provider does not know what its event names')
    return ignore(deps, event)
  }
}

async function isMarked(deps: BillingDeps, eventId: string): Promise<boolean> {
  const { rows } = await asBilling(deps, (db) =>
    db.query('select from app.billing_events where provider = $1 and event_id = $2', [
      deps.provider.name,
      eventId,
    ]),
  )
  return rows.length > 0
}

async function ignore(deps: BillingDeps, event: ProviderEvent): Promise<EventOutcome> {
  const mark = { customerId: null, result: 'ignored', source: 'webhook' } as const
  const added = await asBilling(deps, (db) => markEvents(db, deps.provider.name, [event], mark))
  return added.length === 0 ? 'known' : 'ignored'
}
