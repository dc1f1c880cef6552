import type { Transaction } from '../../postgres/database.ts'
import type { Segment, SegmentStart } from '../journal/journal-files.ts'

// `app.click_segments` stores how many bytes of a segment are applied (its mark). The transaction that applies records
// also moves the mark, so each record counts exactly once.

/** Compare and set. False: the mark is not at `from`, so these bytes were applied before or are not next. */
export async function moveMark(
  db: Transaction,
  id: string,
  from: number,
  to: number,
): Promise<boolean> {
  const moved = await db.query(
    from === 0
      ? `insert into app.click_segments as mark (segment_id, applied_bytes) values ($1, $3)
          on conflict (segment_id) do update set applied_bytes = $3, updated_at = now() where mark.applied_bytes = $2`
      : 'update app.click_segments set applied_bytes = $3, updated_at = now() where segment_id = $1 and applied_bytes = $2',
    [id, from, to],
  )
  return moved.rowCount === 1
}

export async function readMark(db: Transaction, id: string): Promise<number> {
  const { rows } = await db.query<{ applied_bytes: string }>(
    'select applied_bytes from app.click_segments where segment_id = $1',
    [id],
  )
  return Number(rows[0]?.applied_bytes ?? 0)
}

/** The marks of many; 0 where there is none. */
export async function readMarks(
  db: Transaction,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; mark: string }>(
    'select segment_id as id, applied_bytes as mark from app.click_segments where segment_id = any ($1::uuid[])',
    [ids],
  )
  const found = new Map(rows.map(({ id, mark }) => [id, Number(mark)]))
  return new Map(ids.map((id) => [id, found.get(id) ?? 0]))
}

/**
 * How many bytes of a file are applied.
 *
 * @returns undefined while clicks that come before the file are still in the click stream: it has to wait for them
 */
export async function readApplied(
  db: Transaction,
  { id, base = 0 }: Pick<Segment, 'id' | 'base'>,
): Promise<number | undefined> {
  const mark = await readMark(db, id)
  return mark < base ? undefined : mark - base
}

export async function removeMark(db: Transaction, id: string): Promise<void> {
  await db.query('delete from app.click_segments where segment_id = $1', [id])
}

/** After a file was removed. The click stream may still have the bytes of its own files: their marks stay as long as those of all its clicks. */
export async function endMark(db: Transaction, { id, base }: SegmentStart): Promise<void> {
  await (base === undefined ? removeMark(db, id) : keepSources(db, [id]))
}

/** Marks of sources in a stream are kept for as long as a file of one may turn up on a machine that was away. */
export async function keepSources(db: Transaction, sources: readonly string[]): Promise<void> {
  await db.query(
    'update app.click_segments set of_stream = true where segment_id = any ($1::uuid[]) and not of_stream',
    [sources],
  )
}

export async function removeOldSources(db: Transaction): Promise<void> {
  await db.query(
    `delete from app.click_segments where of_stream and updated_at < now() - interval '400 days'`,
  )
}
