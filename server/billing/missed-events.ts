import { markEvents } from './apply-snapshot.ts'
import { isOurCustomer } from './customers.ts'
import { asBilling, type BillingDeps } from './deps.ts'
import { isMissing, type ProviderEvent } from './provider.ts'
import { syncCustomer } from './sync-customer.ts'
import { countFailure, forEachCustomer, type Tally } from './tally.ts'

/** Handles the events without a mark, by customer, oldest first; each customer is read once. */
export async function handleMissedEvents(
  deps: BillingDeps,
  since: Date,
  tally: Tally,
): Promise<void> {
  const byCustomer = new Map<string, ProviderEvent[]>()
  const foreign: ProviderEvent[] = []
  for (const event of await missedEvents(deps, since)) {
    const customer = event.isRelevant ? await ourCustomerOf(deps, event) : null
    if (customer === null) foreign.push(event)
    else byCustomer.set(customer, [...(byCustomer.get(customer) ?? []), event])
  }
  await ignoreAll(deps, foreign)
  if (byCustomer.size > 0)
    deps.log.warn({ customers: byCustomer.size }, 'missed events are handled now')
  await forEachCustomer(deps, [...byCustomer], async ([customer, events]) => {
    try {
      if ((await syncCustomer(deps, customer, events)).changed) tally.drift++
    } catch (error) {
      if (isMissing(error)) await ignoreAll(deps, events)
      countFailure(deps, tally, customer, error)
    }
  })
}

async function missedEvents(deps: BillingDeps, since: Date): Promise<ProviderEvent[]> {
  const { provider } = deps
  const listed = await provider.listEvents(since)
  const { rows } = await asBilling(deps, (db) =>
    db.query<{ event_id: string }>(
      'select event_id from app.billing_events where provider = $1 and event_id = any ($2)',
      [provider.name, listed.map(({ id }) => id)],
    ),
  )
  const marked = new Set(rows.map((row) => row.event_id))
  return listed.filter(({ id }) => !marked.has(id)).toReversed()
}

async function ourCustomerOf(deps: BillingDeps, event: ProviderEvent): Promise<string | null> {
  try {
    const customer = await event.readCustomerId()
    return customer !== null && (await isOurCustomer(deps, customer)) ? customer : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function ignoreAll(deps: BillingDeps, events: readonly ProviderEvent[]): Promise<void> {
  const mark = { customerId: null, result: 'ignored', source: 'reconcile' } as const
  await asBilling(deps, (db) => markEvents(db, deps.provider.name, events, mark))
}
