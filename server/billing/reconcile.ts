import { cancelWanted } from './cancel.ts'
import type { Tally } from './each.ts'
import { takeMissed } from './missed-events.ts'
import { asBilling, type BillingParts } from './parts.ts'
import { endUnread, readStale } from './stale-customers.ts'
import { factsOf } from './stripe-client.ts'

/** A reconcile reads this much again, for clocks that differ and events that the provider lists late. */
const overlapSeconds = 3_600
/** The provider keeps its events for 30 days. */
const longestSeconds = 30 * 86_400

export interface ReconcileResult extends Tally {
  /** Another process is at it. */
  skipped: boolean
}

/**
 * Makes up for events that never came: those that the provider lists and we have no mark of, customers that were not
 * read for a day, subscriptions that have to end. One process at a time; a lock that goes with its transaction.
 */
export function reconcile(parts: BillingParts): Promise<ReconcileResult> {
  return asBilling(parts, async (db) => {
    const { rows } = await db.query<{ mine: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('hoplet.billing.reconcile', 0)) as mine`,
    )
    if (!rows[0]?.mine) return { drift: 0, failures: 0, skipped: true }
    return run(parts)
  })
}

async function run(parts: BillingParts): Promise<ReconcileResult> {
  const tally: Tally = { drift: 0, failures: 0 }
  const startedAt = await now(parts)
  let problem: string | undefined
  let readUntil: number | undefined
  try {
    await takeMissed(parts, await readFrom(parts, startedAt), tally)
    if (tally.failures === 0) readUntil = startedAt
    await readStale(parts, tally)
    await cancelWanted(parts, tally)
  } catch (error) {
    parts.log.error(factsOf(error), 'reconciling with the payment provider failed')
    tally.failures++
    problem = describe(error)
  }
  await endUnread(parts, tally)
  if (tally.failures > 0) problem ??= `${tally.failures} customers could not be read`
  await writeResult(parts, readUntil, tally.drift, problem)
  if (tally.drift > 0)
    parts.log.warn({ drift: tally.drift }, 'plans were wrong and are right again')
  return { ...tally, skipped: false }
}

async function now(parts: BillingParts): Promise<number> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ now: number }>('select extract(epoch from app.billing_now())::float8 as now'),
  )
  return Math.floor(rows[0]?.now ?? Date.now() / 1000)
}

async function readFrom(parts: BillingParts, startedAt: number): Promise<number> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ until: number | null }>(
      'select extract(epoch from read_until)::float8 as until from app.billing_reconciles where provider = $1',
      [parts.provider],
    ),
  )
  const until = Math.floor(rows[0]?.until ?? startedAt)
  return Math.max(until - overlapSeconds, startedAt - longestSeconds)
}

async function writeResult(
  parts: BillingParts,
  readUntil: number | undefined,
  drift: number,
  problem: string | undefined,
): Promise<void> {
  await asBilling(parts, (db) =>
    db.query(
      `insert into app.billing_reconciles as r (provider, read_until, finished_at, drift, error)
        values ($1, to_timestamp($2), now(), $3, $4)
        on conflict (provider) do update set read_until = coalesce(excluded.read_until, r.read_until),
          finished_at = excluded.finished_at, drift = excluded.drift, error = excluded.error`,
      [parts.provider, readUntil ?? null, drift, problem ?? null],
    ),
  )
}

/** For the status page: a word, never what the provider said. */
function describe(error: unknown): string {
  const facts = factsOf(error)
  return 'provider_error' in facts
    ? `the payment provider failed: ${String(facts['provider_error'])}`
    : error instanceof Error
      ? error.name
      : 'unknown'
}
