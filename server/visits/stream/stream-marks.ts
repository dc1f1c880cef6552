import type { Transaction } from '../../postgres/database.ts'
import { endLease, takeLease } from '../../postgres/leases.ts'

// `app.click_streams` stores how far a stream is applied (its mark). The marks of the sources
// in it are in `app.click_segments`: they alone decide which messages count. The mark of the stream only says where to read on.

/** The last message that was applied; its id tells whether the stream still is the one that was read. */
export interface StreamPosition {
  seq: number
  id: string
}

export const leaseSeconds = 5

/**
 * Takes or extends the lease on reading a stream.
 *
 * @returns undefined while another process has it
 */
export async function leaseStream(
  db: Transaction,
  stream: string,
  reader: string,
): Promise<StreamPosition | undefined> {
  if (!(await takeLease(db, leaseOf(stream), reader, leaseSeconds))) return undefined
  await db.query('insert into app.click_streams (stream) values ($1) on conflict do nothing', [
    stream,
  ])
  return readStreamPosition(db, stream)
}

/** Lets another process read the stream at once. */
export function releaseStream(db: Transaction, stream: string, reader: string): Promise<void> {
  return endLease(db, leaseOf(stream), reader)
}

const leaseOf = (stream: string) => `stream:${stream}`

export async function readStreamPosition(
  db: Transaction,
  stream: string,
): Promise<StreamPosition | undefined> {
  const { rows } = await db.query<{ seq: string; id: string }>(
    'select applied_seq as seq, applied_id as id from app.click_streams where stream = $1',
    [stream],
  )
  return rows[0] && { seq: Number(rows[0].seq), id: rows[0].id }
}

/** Compare and set, as `moveMark` does. False: another process has moved it, or the database was restored. */
export async function moveStreamPosition(
  db: Transaction,
  stream: string,
  from: StreamPosition,
  to: StreamPosition,
): Promise<boolean> {
  const moved = await db.query(
    `update app.click_streams set applied_seq = $4, applied_id = $5, updated_at = now()
      where stream = $1 and applied_seq = $2 and applied_id = $3`,
    [stream, from.seq, from.id, to.seq, to.id],
  )
  return moved.rowCount === 1
}
