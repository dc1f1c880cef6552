import type { PreparedHits } from '../analytics/store/store.ts'
import type { Transaction } from '../postgres/database.ts'
import type { ClickColumns, TargetKind } from './click-record.ts'

export interface Applied {
  /** Clicks that moved a counter. */
  counted: number
  /** Clicks on links or pages that were deleted in the meantime. */
  orphaned: number
}

/** A link also keeps when it was clicked first and last. */
const clickDates = `, first_click_at = case when t.click_count = 0 or w.first_at < t.first_click_at
            then w.first_at else t.first_click_at end,
          last_click_at = greatest(t.last_click_at, w.last_at)`

type CountedKind = Exclude<TargetKind, 'popup'>

const counters = {
  link: { table: 'app.shortened_urls', column: 'click_count', dates: clickDates },
  bio: { table: 'app.bio_pages', column: 'visit_count', dates: '' },
  bio_link: { table: 'app.bio_links', column: 'click_count', dates: '' },
} as const satisfies Record<CountedKind, { table: string; column: string; dates: string }>

const countedKinds = ['link', 'bio', 'bio_link'] as const satisfies readonly CountedKind[]

// Columns are sent as lines of text. Texts in the journal contain no line breaks, and splitting them in the database
// costs a tenth of escaping thousands of array elements here.

/** Stores the hits and adds those that count to the counters, with one row update per target. */
export async function applyClicks(
  db: Transaction,
  clicks: ClickColumns,
  prepared: PreparedHits,
): Promise<Applied> {
  const applied = { counted: 0, orphaned: 0 }
  if (clicks.targets.length === 0) return applied
  for (const kind of countedKinds) await count(db, kind, clicks, applied)
  await prepared.store(db)
  return applied
}

/**
 * Locks the rows in the order of their ids, so that two servers that count the same targets cannot deadlock. A server
 * that hangs blocks only the targets it has locked.
 */
async function count(
  db: Transaction,
  kind: CountedKind,
  clicks: ClickColumns,
  applied: Applied,
): Promise<void> {
  const ids: string[] = []
  const times: number[] = []
  for (const [i, target] of clicks.targets.entries()) {
    if (clicks.kinds[i] !== kind || clicks.verdicts[i] !== 'counted') continue
    ids.push(target)
    times.push(clicks.times[i] ?? 0)
  }
  if (ids.length === 0) return
  const { table, column, dates } = counters[kind]
  const moved = await db.query<{ n: string }>(
    `with wanted as (
        select id, count(*) as n, to_timestamp(min(ms) / 1000) as first_at, to_timestamp(max(ms) / 1000) as last_at
        from unnest(string_to_array($1, e'\\n')::uuid[], string_to_array($2, e'\\n')::double precision[]) as click (id, ms)
        group by id),
      locked as (
        select t.id from ${table} t where t.id in (select w.id from wanted w) order by t.id for no key update),
      moved as (
        update ${table} t set ${column} = t.${column} + w.n${dates}
        from wanted w join locked l on l.id = w.id where t.id = w.id returning w.n)
      select coalesce(sum(n), 0) as n from moved`,
    [ids.join('\n'), times.join('\n')],
  )
  const counted = Number(moved.rows[0]?.n ?? 0)
  applied.counted += counted
  applied.orphaned += ids.length - counted
}
