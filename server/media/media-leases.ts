import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Transaction } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
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
  const run = (text: string, ...more: unknown[]) =>
    queryAs(database, { role: 'hoplet_worker' }, text, [hash, lease, ...more])
  const giveUpAt = performance.now() + maxWaitMs
  while ((await run(take, leaseSeconds)).length === 0) {
    if (performance.now() > giveUpAt)
      throw new StorageError('the image is in use by another server')
    await sleep(pollMs)
  }
  try {
    const result = await work()
    await run('delete from app.media_leases where hash = $1 and lease_id = $2')
    return result
  } catch (error) {
    await run('update app.media_leases set leased_until = now() where hash = $1 and lease_id = $2')
    throw error
  }
}

const take = `insert into app.media_leases as l (hash, lease_id, leased_until)
  values ($1, $2, now() + make_interval(secs => $3))
  on conflict (hash) do update set lease_id = excluded.lease_id, leased_until = excluded.leased_until
    where l.leased_until <= now()
  returning hash`

/** Images whose storing or removing did not end. */
export async function findExpiredLeases(db: Transaction): Promise<string[]> {
  const { rows } = await db.query<{ hash: string }>(
    'select hash from app.media_leases where leased_until <= now() limit 1000',
  )
  return rows.map(({ hash }) => hash)
}
