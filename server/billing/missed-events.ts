import type Stripe from 'stripe'
import { markEvents } from './apply-truth.ts'
import { isOurCustomer } from './customers.ts'
import { each, failed, type Tally } from './each.ts'
import { customerOf, eventTypes } from './events.ts'
import { asBilling, type BillingParts } from './parts.ts'
import { isMissing } from './stripe-client.ts'
import { syncCustomer } from './sync.ts'

/** The events without a mark, by customer, oldest first; each customer is read once. */
export async function takeMissed(parts: BillingParts, since: number, tally: Tally): Promise<void> {
  const byCustomer = new Map<string, Stripe.Event[]>()
  const foreign: Stripe.Event[] = []
  for (const event of await missedEvents(parts, since)) {
    const customer = event.livemode === parts.livemode ? await knownCustomer(parts, event) : null
    if (customer === null) foreign.push(event)
    else byCustomer.set(customer, [...(byCustomer.get(customer) ?? []), event])
  }
  await ignoreAll(parts, foreign)
  if (byCustomer.size > 0)
    parts.log.warn({ customers: byCustomer.size }, 'events did not come and are made up for')
  await each(parts, [...byCustomer], async ([customer, events]) => {
    try {
      if ((await syncCustomer(parts, customer, events)).changed) tally.drift++
    } catch (error) {
      if (isMissing(error)) await ignoreAll(parts, events)
      failed(parts, tally, customer, error)
    }
  })
}

async function missedEvents(parts: BillingParts, since: number): Promise<Stripe.Event[]> {
  const listed = await parts.stripe.events
    .list({ created: { gte: since }, types: [...eventTypes], limit: 100 })
    .autoPagingToArray({ limit: 10_000 })
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ event_id: string }>(
      'select event_id from app.billing_events where provider = $1 and event_id = any ($2)',
      [parts.provider, listed.map(({ id }) => id)],
    ),
  )
  const marked = new Set(rows.map((row) => row.event_id))
  return listed.filter(({ id }) => !marked.has(id)).toReversed()
}

async function knownCustomer(parts: BillingParts, event: Stripe.Event): Promise<string | null> {
  try {
    const customer = await customerOf(parts.stripe, event)
    return customer !== null && (await isOurCustomer(parts, customer)) ? customer : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function ignoreAll(parts: BillingParts, events: readonly Stripe.Event[]): Promise<void> {
  const mark = { customerId: null, result: 'ignored', source: 'reconcile' } as const
  await asBilling(parts, (db) => markEvents(db, parts.provider, events, mark))
}
