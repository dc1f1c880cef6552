import { cancelRequestedFor } from './cancel-requests.ts'
import { asBilling, type BillingDeps, queryBilling } from './deps.ts'
import { billingErrors, orProviderDown } from './errors.ts'
import { lostSubscriptions } from './plan-decision.ts'
import { PaymentProviderError, type ProviderEvent } from './provider.ts'
import { markEvents, syncCustomer, type Synced, type SyncSource } from './sync-customer.ts'
import { forEachCustomer, type Tally } from './tally.ts'
import { errorMessage, ifError } from '../primitives/caught-error.ts'

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
    const [reason] = errorMessage(error).split('\n', 1)
    log.warn({ reason }, 'an event with a bad signature was refused')
    throw billingErrors.badSignature()
  }
  return orProviderDown(log, () => handleEvent(deps, event))
}

/** Reads the event's customer again and applies the snapshot. @throws {PaymentProviderError} */
export async function handleEvent(deps: BillingDeps, event: ProviderEvent): Promise<EventOutcome> {
  if ((await unmarked(deps, [event])).length === 0) return 'known'
  const synced = await apply(deps, await ourCustomerOf(deps, event), [event], 'webhook')
  if (!synced) return 'ignored'
  return synced.known ? 'known' : 'applied'
}

/** Handles the events since then that have no mark, by customer, oldest first; each customer is read once. */
export async function handleMissedEvents(
  deps: BillingDeps,
  since: Date,
  tally: Tally,
): Promise<void> {
  const byCustomer = new Map<string | null, ProviderEvent[]>()
  const listed = await deps.provider.listEvents(since)
  for (const event of (await unmarked(deps, listed)).toReversed()) {
    const customer = await ourCustomerOf(deps, event)
    byCustomer.set(customer, [...(byCustomer.get(customer) ?? []), event])
  }
  const customers = [...byCustomer].map(([customer_id, events]) => ({ customer_id, events }))
  const ours = customers.filter(({ customer_id }) => customer_id !== null)
  if (ours.length > 0) deps.log.warn({ customers: ours.length }, 'missed events are handled now')
  await forEachCustomer(deps, tally, customers, async ({ customer_id, events }) => {
    if ((await apply(deps, customer_id, events, 'reconcile'))?.changed) tally.drift++
  })
}

async function unmarked(
  deps: BillingDeps,
  events: readonly ProviderEvent[],
): Promise<ProviderEvent[]> {
  const rows = await queryBilling<{ event_id: string }>(
    deps,
    'select event_id from app.billing_events where provider = $1 and event_id = any ($2)',
    events.map(({ id }) => id),
  )
  const marked = new Set(rows.map((row) => row.event_id))
  return events.filter(({ id }) => !marked.has(id))
}

/** Null: the event changes nothing here, or is about another operator's customer. */
async function ourCustomerOf(deps: BillingDeps, event: ProviderEvent): Promise<string | null> {
  const named = await unlessMissing(deps, [event], () => event.readCustomerId())
  const [ours] = await queryBilling<{ customer_id: string }>(
    deps,
    'select customer_id from app.billing_customers where provider = $1 and customer_id = $2',
    named ?? null,
  )
  return ours?.customer_id ?? null
}

/** Reads the customer because of these events. Without one, or when the provider does not know it, they are ignored. */
async function apply(
  deps: BillingDeps,
  customerId: string | null,
  events: readonly ProviderEvent[],
  source: SyncSource,
): Promise<Synced | undefined> {
  const synced =
    customerId !== null &&
    (await unlessMissing(deps, events, () => syncCustomer(deps, customerId, events, source)))
  if (!synced) {
    await asBilling(deps, (db) => markEvents(db, deps.provider.name, events, null, source))
    return undefined
  }
  if (lostSubscriptions(synced.snapshot).length > 0) await cancelRequestedFor(deps, customerId)
  return synced
}

function unlessMissing<T>(
  { log }: BillingDeps,
  events: readonly ProviderEvent[],
  work: () => Promise<T>,
): Promise<T | undefined> {
  return work().catch(
    ifError(PaymentProviderError, (error) => {
      if (!error.reason.endsWith('missing')) throw error
      const facts = { ...error.facts, events: events.map(({ id, type }) => `${type} ${id}`) }
      log.error(facts, 'the provider does not know what its event names')
      return undefined
    }),
  )
}
