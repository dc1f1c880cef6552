import { randomUUID } from 'node:crypto'
import { cancelRequested } from './cancel-requests.ts'
import { type BillingDeps, queryBilling } from './deps.ts'
import { handleMissedEvents } from './handle-event.ts'
import { errorFacts } from './provider.ts'
import { syncCustomer } from './sync-customer.ts'
import { forEachCustomer, type Tally } from './tally.ts'

/**
 * A process that dies in a run keeps the others from running for this long. A run that takes longer shares its work with
 * the next one, which does no harm: tickets order what both read.
 */
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
  const tally: Tally = { drift: 0, failures: 0 }
  const lease = randomUUID()
  const started = await takeLease(deps, lease)
  if (!started) return { ...tally, skipped: true }
  let problem: string | undefined
  let isRead = false
  try {
    await handleMissedEvents(deps, started.readFrom, tally)
    isRead = tally.failures === 0
    await readStaleCustomers(deps, tally)
    await cancelRequested(deps, tally)
  } catch (error) {
    deps.log.error(errorFacts(error), 'reconciling with the payment provider failed')
    tally.failures++
    problem = describe(error)
  }
  await endUnreadPlans(deps, tally)
  if (tally.failures > 0) problem ??= `${tally.failures} customers could not be read`
  await endLease(deps, lease, isRead ? started.at : null, tally.drift, problem ?? null)
  if (tally.drift > 0) deps.log.warn({ drift: tally.drift }, 'plans were wrong and are right again')
  return { ...tally, skipped: false }
}

/**
 * Reads customers that no event has named for a day. Those whose paid period has ended come first: an event is overdue.
 * The rest are picked at random, so that unreadable ones never block the others.
 */
async function readStaleCustomers(deps: BillingDeps, tally: Tally): Promise<void> {
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
    if ((await syncCustomer(deps, customer_id)).changed) tally.drift++
  })
}

/** Ends plans whose paid period ended more than a day ago without any news from the provider since. */
async function endUnreadPlans(deps: BillingDeps, tally: Tally): Promise<void> {
  const rows = await queryBilling<{ customer_id: string }>(
    deps,
    `with ended as (
      update app.billing_customers set plan = 'free' where provider = $1 and plan <> 'free'
        and period_end < now() - interval '24 hours' and synced_at < period_end
      returning customer_id, user_id
    ), lowered as (
      update app.user_plans l set plan_type = 'free' from ended where l.user_id = ended.user_id
    )
    select customer_id from ended`,
  )
  for (const { customer_id } of rows)
    deps.log.warn({ customer: customer_id }, 'the paid period ended without news: free')
  tally.drift += rows.length
}

/**
 * Undefined while another process holds the lease. Each run reads an hour again, for clocks that differ and events that
 * the provider lists late, and at most the 30 days for which the provider keeps its events.
 */
async function takeLease(deps: BillingDeps, lease: string) {
  const [started] = await queryBilling<{ at: Date; readFrom: Date }>(
    deps,
    `insert into app.billing_reconciles as r (provider, lease_id, leased_until)
      values ($1, $2, now() + make_interval(secs => $3))
      on conflict (provider) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until
        where r.leased_until is null or r.leased_until < now()
      returning now() as at,
        greatest(least(read_until, now()) - interval '1 hour', now() - interval '30 days') as "readFrom"`,
    lease,
    leaseSeconds,
  )
  return started
}

async function endLease(
  deps: BillingDeps,
  lease: string,
  readUntil: Date | null,
  drift: number,
  problem: string | null,
): Promise<void> {
  await queryBilling(
    deps,
    `update app.billing_reconciles set read_until = coalesce($3, read_until), finished_at = now(), drift = $4,
        error = $5, lease_id = null, leased_until = null
      where provider = $1 and lease_id = $2`,
    lease,
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
  return error instanceof Error ? error.name : 'unknown'
}
