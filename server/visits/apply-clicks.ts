import type { Transaction } from '../postgres/database.ts'
import { type ClickColumns, type TargetKind, targetKinds } from './click-record.ts'

export interface Applied {
  /** Clicks that moved a counter. */
  counted: number
  /** Clicks whose link or page was deleted in the meantime. */
  orphaned: number
}

const counters = {
  link: { table: 'app.shortened_urls', column: 'click_count' },
  bio: { table: 'app.bio_pages', column: 'visit_count' },
  bio_link: { table: 'app.bio_links', column: 'click_count' },
} as const satisfies Record<TargetKind, { table: string; column: string }>

// Columns are sent as lines of text. Texts in the journal contain no line breaks, and splitting them in the database
// costs a tenth of escaping thousands of array elements here.

/** Inserts the click events and adds those with the verdict `counted` to the counters, with one row update per target. */
export async function applyClicks(db: Transaction, clicks: ClickColumns): Promise<Applied> {
  const applied = { counted: 0, orphaned: 0 }
  if (clicks.targets.length === 0) return applied
  for (const kind of targetKinds) await count(db, kind, clicks, applied)
  await insertEvents(db, clicks)
  return applied
}

/**
 * Locks the rows in the order of their ids, so that two servers that count the same targets cannot deadlock. A server
 * that hangs blocks only the targets it has locked.
 */
async function count(
  db: Transaction,
  kind: TargetKind,
  clicks: ClickColumns,
  applied: Applied,
): Promise<void> {
  const counts = new Map<string, number>()
  for (let i = 0; i < clicks.targets.length; i++) {
    const target = clicks.targets[i]
    if (target !== undefined && clicks.kinds[i] === kind && clicks.verdicts[i] === 'counted') {
      counts.set(target, (counts.get(target) ?? 0) + 1)
    }
  }
  if (counts.size === 0) return
  const { table, column } = counters[kind]
  const ids = [...counts.keys()]
  const moved = await db.query<{ n: string }>(
    `with wanted as (
        select * from unnest(string_to_array($1, e'\\n')::uuid[], string_to_array($2, e'\\n')::bigint[]) as v (id, n)),
      locked as (
        select t.id from ${table} t where t.id in (select w.id from wanted w) order by t.id for no key update),
      moved as (
        update ${table} t set ${column} = t.${column} + w.n
        from wanted w join locked l on l.id = w.id where t.id = w.id returning w.n)
      select coalesce(sum(n), 0) as n from moved`,
    [ids.join('\n'), [...counts.values()].join('\n')],
  )
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0)
  const counted = Number(moved.rows[0]?.n ?? 0)
  applied.counted += counted
  applied.orphaned += total - counted
}

async function insertEvents(db: Transaction, clicks: ClickColumns): Promise<void> {
  const columns = [
    clicks.targets,
    clicks.kinds,
    clicks.times,
    clicks.verdicts,
    clicks.referrers,
    clicks.userAgents,
  ]
  await db.query(
    `insert into app.click_events (target_id, kind, at, verdict, referrer, user_agent)
      select target::uuid, kind, to_timestamp(ms::double precision / 1000), verdict, referrer, user_agent
      from unnest(${columns.map((_, i) => `string_to_array($${i + 1}, e'\\n', '')`).join(', ')})
        as click (target, kind, ms, verdict, referrer, user_agent)`,
    columns.map((column) => column.join('\n')),
  )
}
