import { LeaseHeldError, withLease } from '../postgres/leases.ts'
import { cancelRequested } from './cancel-requests.ts'
import { type BillingDeps, queryBilling } from './deps.ts'
import { handleMissedEvents } from './handle-event.ts'
import { errorFacts, ifCustomerMissing } from './provider.ts'
import { syncCustomer } from './sync-customer.ts'
import { forEachCustomer, type Tally } from './tally.ts'
import { ifError, toError } from '../primitives/caught-error.ts'
import { onlyRowAs } from '../postgres/rows.ts'

/** A process that dies in a run keeps the others from running for this long. */
const leaseSeconds = 600
const maxStaleCustomers = 200

export interface ReconcileResult extends Tally {
  /** Another process is reconciling. */
  skipped: boolean
}

/**
 * Heals missed events: the ones that the provider lists and we have no mark of, customers that were not read for a day,
 * subscriptions that have to end. One process at a time, by a lease that expires.
 */
export async function reconcile(deps: BillingDeps): Promise<ReconcileResult> {
  const { database, provider } = deps
  const lease = {
    name: `payments:${provider.name}`,
    role: 'hoplet_billing',
    seconds: leaseSeconds,
  } as const
  return withLease(database, lease, () => reconcileAlone(deps)).catch(
    ifError(LeaseHeldError, () => ({ drift: 0, failures: 0, skipped: true })),
  )
}

async function reconcileAlone(deps: BillingDeps): Promise<ReconcileResult> {
  const tally: Tally = { drift: 0, failures: 0 }
  const started = await start(deps)
  let problem: string | undefined
  let isRead = false
  const missing: string[] = []
  try {
    await handleMissedEvents(deps, started.readFrom, tally)
    isRead = tally.failures === 0
    await readStaleCustomers(deps, tally, missing)
    await cancelRequested(deps, tally)
  } catch (error) {
    deps.log.error(errorFacts(error), 'reconciling with the payment provider failed')
    tally.failures++
    problem = describe(error)
  }
  await endUnreadPlans(deps, tally, missing)
  if (tally.failures > 0) problem ??= `${tally.failures} customers could not be read`
  await finish(deps, isRead ? started.at : null, tally.drift, problem ?? null)
  if (tally.drift > 0) deps.log.warn({ drift: tally.drift }, 'plans were wrong and are right again')
  return { ...tally, skipped: false }
}

/**
 * Reads customers that no event has named for a day. Those after the end of their paid period come first: an event is overdue.
 * The rest are picked at random, so that unreadable ones never block the others. Those that the provider does not know
 * are added to `missing`, and are asked for again a day later.
 */
async function readStaleCustomers(
  deps: BillingDeps,
  tally: Tally,
  missing: string[],
): Promise<void> {
  const rows = await queryBilling<{ customer_id: string }>(
    deps,
    `select customer_id from app.billing_customers
      where provider = $1 and canceled_at is null
        and (synced_at is null or synced_at < now() - interval '24 hours'
          or (plan <> 'free' and period_end < now() and synced_at < period_end))
      order by (plan <> 'free' and period_end < now() and synced_at < period_end) desc nulls last,
        random() limit $2`,
    maxStaleCustomers,
  )
  await forEachCustomer(deps, tally, rows, async ({ customer_id }) => {
    const synced = await syncCustomer(deps, customer_id).catch(ifCustomerMissing(() => undefined))
    if (synced?.changed) tally.drift++
    if (synced) return
    missing.push(customer_id)
    deps.log.warn({ customer: customer_id }, 'the provider does not know this customer')
    await queryBilling(
      deps,
      'update app.billing_customers set synced_at = now() where provider = $1 and customer_id = $2',
      customer_id,
    )
  })
}

/** Ends plans a day after their paid period without news from the provider. */
async function endUnreadPlans(
  deps: BillingDeps,
  tally: Tally,
  missing: readonly string[],
): Promise<void> {
  const rows = await queryBilling<{ customer_id: string }>(
    deps,
    `with ended as (
      update app.billing_customers set plan = 'free' where provider = $1 and plan <> 'free'
        and period_end < now() - interval '24 hours' and (synced_at < period_end or customer_id = any ($2))
      returning customer_id, user_id
    ), lowered as (
      update app.user_plans l set plan_type = 'free' from ended where l.user_id = ended.user_id
    )
    select customer_id from ended`,
    missing,
  )
  for (const { customer_id } of rows)
    deps.log.warn({ customer: customer_id }, 'the paid period ended without news: free')
  tally.drift += rows.length
}

/**
 * Each run reads an hour again, for clocks that differ and events that the provider lists late, and at most the 30 days for
 * which the provider keeps its events.
 */
function start({ database, provider }: BillingDeps): Promise<{ at: Date; readFrom: Date }> {
  return onlyRowAs(
    database,
    { role: 'hoplet_billing' },
    `insert into app.billing_reconciles (provider) values ($1)
      on conflict (provider) do update set provider = excluded.provider
      returning now() as at,
        greatest(least(read_until, now()) - interval '1 hour', now() - interval '30 days') as "readFrom"`,
    [provider.name],
  )
}

async function finish(
  deps: BillingDeps,
  readUntil: Date | null,
  drift: number,
  problem: string | null,
): Promise<void> {
  await queryBilling(
    deps,
    `update app.billing_reconciles set read_until = coalesce($2, read_until), finished_at = now(), drift = $3, error = $4
      where provider = $1`,
    readUntil,
    drift,
    problem,
  )
}

/** For the status page: a word, never the provider's message. */
function describe(error: unknown): string {
  const facts = errorFacts(error)
  if ('provider_error' in facts)
    return `the payment provider failed: ${String(facts['provider_error'])}`
  return toError(error).name
}
