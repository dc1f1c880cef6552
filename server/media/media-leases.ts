import type { Database, Transaction } from '../postgres/database.ts'
import { LeaseHeldError, withLease } from '../postgres/leases.ts'
import { StorageError } from './store.ts'
import { replaceError } from '../primitives/caught-error.ts'

const prefix = 'media:'
/** Longer than any call of the storage takes, its retries included. */
const seconds = 120
const waitMs = 30_000

/**
 * Runs `work` while no other request and no other server stores or removes the same image. When it fails, the lease
 * is left behind, over: the next collection cleans up.
 *
 * @throws {StorageError} when another server holds the lease for too long
 */
export function withMediaLease<T>(
  database: Database,
  hash: string,
  work: () => Promise<T>,
): Promise<T> {
  const lease = {
    name: prefix + hash,
    role: 'hoplet_worker',
    seconds,
    waitMs,
    staysOnFailure: true,
  } as const
  return withLease(database, lease, work).catch(
    replaceError(
      LeaseHeldError,
      (cause) => new StorageError('the image is in use by another server', { cause }),
    ),
  )
}

/** Images with an unfinished write or removal. */
export async function findExpiredLeases(db: Transaction): Promise<string[]> {
  const { rows } = await db.query<{ hash: string }>(
    `select substr(name, $2) as hash from app.leases where starts_with(name, $1) and ends_at <= now() limit 1000`,
    [prefix, prefix.length + 1],
  )
  return rows.map(({ hash }) => hash)
}
