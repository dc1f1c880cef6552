import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Transaction } from './database.ts'
import type { Role } from './roles.ts'

const retryMs = 100
/** Renewals per lease: the third one that fails in a row loses it. */
const renewals = 4

/** Another process holds the lease, for longer than the caller waits. */
export class LeaseHeldError extends Error {
  name = 'LeaseHeldError'
}

interface LeaseOptions {
  /** Its purpose, for example `media:<hash>`. */
  name: string
  role: Role
  /** A process that was killed has it for so long. */
  seconds: number
  /** How long to wait for another holder; default: not at all. */
  waitMs?: number
  /** Called once, when there is something to wait for. */
  onWait?: () => void
  /** When the work fails, the lease stays behind, over, so that another process can clean up. */
  staysOnFailure?: boolean
}

/**
 * Runs work that only one process of all servers may do at a time. The lease is renewed until the work ends.
 *
 * @param work gets a signal that is aborted when the lease is lost: the database was away for too long
 * @throws {LeaseHeldError}, the error of the work, or an error when the lease was lost before the end
 */
export async function withLease<Result>(
  database: Pick<Database, 'transactionAs'>,
  options: LeaseOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { name, role, seconds, staysOnFailure = false } = options
  const holder = randomUUID()
  const ask = <T>(question: (db: Transaction) => Promise<T>) =>
    database.transactionAs({ role }, question)
  await waitFor(options, () => ask((db) => takeLease(db, name, holder, seconds)))
  const lost = new AbortController()
  const renew = async () => {
    const { rows } = await ask((db) =>
      db.query<{ held: boolean }>('select app.renew_lease($1, $2, $3) as held', [
        name,
        holder,
        seconds,
      ]),
    )
    if (!rows[0]?.held) lost.abort(new Error('PostgreSQL was away for too long. Run this again.'))
  }
  // The next one tells whether it is lost.
  const timer = setInterval(() => void renew().catch(() => {}), (seconds * 1_000) / renewals)
  let stays = staysOnFailure
  try {
    const result = await work(lost.signal)
    await renew()
    lost.signal.throwIfAborted()
    stays = false
    return result
  } finally {
    clearInterval(timer)
    // If this fails, it ends by itself.
    await ask((db) => endLease(db, name, holder, stays)).catch(() => {})
  }
}

async function waitFor(
  { name, waitMs = 0, onWait }: LeaseOptions,
  take: () => Promise<boolean>,
): Promise<void> {
  const until = performance.now() + waitMs
  for (let attempt = 0; !(await take()); attempt++) {
    if (performance.now() >= until) throw new LeaseHeldError(`another process has ${name}`)
    if (attempt === 0) onWait?.()
    await sleep(retryMs)
  }
}

/** Takes a lease, or extends one's own. @returns false while another process has it */
export async function takeLease(
  db: Transaction,
  name: string,
  holder: string,
  seconds: number,
): Promise<boolean> {
  const { rows } = await db.query<{ taken: boolean }>(
    'select app.take_lease($1, $2, $3) as taken',
    [name, holder, seconds],
  )
  return rows[0]?.taken === true
}

/** Lets another process have it at once. @param stays leaves it behind, over */
export async function endLease(
  db: Transaction,
  name: string,
  holder: string,
  stays = false,
): Promise<void> {
  await db.query('select app.end_lease($1, $2, $3)', [name, holder, stays])
}
