import { randomUUID } from 'node:crypto'
import { cancelRequested } from './cancel-requests.ts'
import { asBilling, type BillingDeps } from './deps.ts'
import { handleMissedEvents } from './missed-events.ts'
import { errorFacts } from './provider.ts'
import { endUnreadPlans, readStaleCustomers } from './stale-customers.ts'
import type { Tally } from './tally.ts'

/** Each run reads this much again, for clocks that differ and events that the provider lists late. */
const overlapSeconds = 3_600
/** The provider keeps its events for 30 days. */
const maxLookBackSeconds = 30 * 86_400
/** A process that dies in a run keeps the others from running for this long. */
const leaseSeconds = 120
const leaseRenewalMs = 30_000

export interface ReconcileResult extends Tally {
  /** Another process is reconciling. */
  skipped: boolean
}

/**
 * Heals missed events: the ones that the provider lists and we have no mark of, customers that were not read for a day,
 * subscriptions that have to end. One process at a time, by a lease that expires.
 */
export async function reconcile(deps: BillingDeps): Promise<ReconcileResult> {
  const lease = randomUUID()
  const lastRun = await takeLease(deps, lease)
  if (!lastRun) return { drift: 0, failures: 0, skipped: true }
  const renewal = setInterval(
    () =>
      void renewLease(deps, lease).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'the reconcile lease was not renewed'),
      ),
    leaseRenewalMs,
  )
  try {
    return { ...(await run(deps, lease, lastRun)), skipped: false }
  } finally {
    clearInterval(renewal)
  }
}

interface LastRun {
  now: Date
  readUntil: Date | null
}

async function run(deps: BillingDeps, lease: string, { now, readUntil }: LastRun): Promise<Tally> {
  const tally: Tally = { drift: 0, failures: 0 }
  let problem: string | undefined
  let isRead = false
  try {
    await handleMissedEvents(deps, readFrom(now, readUntil), tally)
    isRead = tally.failures === 0
    await readStaleCustomers(deps, tally)
    await cancelRequested(deps, tally)
  } catch (error) {
    deps.log.error(errorFacts(error), 'reconciling with the payment provider failed')
    tally.failures++
    problem = describe(error)
  }
  await endUnreadPlans(deps, tally)
  await forgetOldEvents(deps)
  if (tally.failures > 0) problem ??= `${tally.failures} customers could not be read`
  await endLease(deps, lease, isRead ? now : null, tally.drift, problem ?? null)
  if (tally.drift > 0) deps.log.warn({ drift: tally.drift }, 'plans were wrong and are right again')
  return tally
}

function readFrom(now: Date, readUntil: Date | null): Date {
  // A stored time ahead of the clock would skip events.
  const until = Math.min((readUntil ?? now).getTime(), now.getTime()) - overlapSeconds * 1000
  return new Date(Math.max(until, now.getTime() - maxLookBackSeconds * 1000))
}

/** A mark is needed for as long as the provider can repeat its event. */
async function forgetOldEvents(deps: BillingDeps): Promise<void> {
  await asBilling(deps, (db) =>
    db.query(
      `delete from app.billing_events where provider = $1 and received_at < now() - interval '90 days'`,
      [deps.provider.name],
    ),
  )
}

/** Undefined while another process holds the lease. */
async function takeLease(deps: BillingDeps, lease: string): Promise<LastRun | undefined> {
  const { rows } = await asBilling(deps, (db) =>
    db.query<LastRun>(
      `insert into app.billing_reconciles as r (provider, lease_id, leased_until)
        values ($1, $2, now() + make_interval(secs => $3))
        on conflict (provider) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until
          where r.leased_until is null or r.leased_until < now()
        returning now(), read_until as "readUntil"`,
      [deps.provider.name, lease, leaseSeconds],
    ),
  )
  return rows[0]
}

async function renewLease(deps: BillingDeps, lease: string): Promise<void> {
  await asBilling(deps, (db) =>
    db.query(
      `update app.billing_reconciles set leased_until = now() + make_interval(secs => $3)
        where provider = $1 and lease_id = $2`,
      [deps.provider.name, lease, leaseSeconds],
    ),
  )
}

async function endLease(
  deps: BillingDeps,
  lease: string,
  readUntil: Date | null,
  drift: number,
  problem: string | null,
): Promise<void> {
  await asBilling(deps, (db) =>
    db.query(
      `update app.billing_reconciles set read_until = coalesce($3, read_until), finished_at = now(), drift = $4,
          error = $5, lease_id = null, leased_until = null
        where provider = $1 and lease_id = $2`,
      [deps.provider.name, lease, readUntil, drift, problem],
    ),
  )
}

/** For the status page: a word, never the provider's message. */
function describe(error: unknown): string {
  const facts = errorFacts(error)
  if ('provider_error' in facts)
    return `the payment provider failed: ${String(facts['provider_error'])}`
  return error instanceof Error ? error.name : 'unknown'
}
