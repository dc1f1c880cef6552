import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Transaction } from '../postgres/database.ts'
import { StorageError } from './store.ts'

/** Longer than any call of the storage takes, its retries included. */
const leaseSeconds = 120
const pollMs = 100
const maxWaitMs = 30_000

/**
 * Runs `work` while no other request and no other server stores or removes the same image. When it fails, the lease
 * is left behind, expired: the next collection cleans up.
 *
 * @throws {StorageError} when another server holds the lease for too long
 */
export async function withMediaLease<T>(
  database: Database,
  hash: string,
  work: () => Promise<T>,
): Promise<T> {
  const lease = randomUUID()
  const run = <R>(query: (db: Transaction) => Promise<R>) =>
    database.transactionAs({ role: 'hoplet_worker' }, query)
  const giveUpAt = performance.now() + maxWaitMs
  while (!(await run((db) => takeLease(db, hash, lease)))) {
    if (performance.now() > giveUpAt)
      throw new StorageError('the image is in use by another server')
    await sleep(pollMs)
  }
  try {
    const result = await work()
    await run((db) =>
      db.query('delete from app.media_leases where hash = $1 and lease_id = $2', [hash, lease]),
    )
    return result
  } catch (error) {
    await run((db) =>
      db.query(
        'update app.media_leases set leased_until = now() where hash = $1 and lease_id = $2',
        [hash, lease],
      ),
    )
    throw error
  }
}

async function takeLease(db: Transaction, hash: string, lease: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into app.media_leases as l (hash, lease_id, leased_until)
      values ($1, $2, now() + make_interval(secs => $3))
      on conflict (hash) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until
        where l.leased_until <= now()`,
    [hash, lease, leaseSeconds],
  )
  return rowCount === 1
}

/** Images whose storing or removing did not end. */
export async function findExpiredLeases(db: Transaction): Promise<string[]> {
  const { rows } = await db.query<{ hash: string }>(
    'select hash from app.media_leases where leased_until <= now() limit 1000',
  )
  return rows.map(({ hash }) => hash)
}
