import type { HitVerdict } from '#domain/reports/hits.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { hitVerdicts } from '../hits/verdicts.ts'

/** New hits of one account, link, bio page or link of one. */
export interface News {
  /** Its id. */
  ref: string
  counts: Partial<Record<HitVerdict, number>>
  /** Epoch milliseconds of the first and the last hit. */
  first: number
  last: number
}

interface Look {
  /** As pg_current_snapshot() wrote it; the next look starts there. */
  snapshot: string
  news: News[]
}

/** Hits that are stored later than this are not seen; the reports have them. */
const maxLatenessMs = 60_000

const verdictOf = new Map<string, HitVerdict>(
  Object.entries(hitVerdicts).map(([verdict, letter]) => [letter, verdict as HitVerdict]),
)

/**
 * Counts the hits that were committed since an earlier look, by any server: those of transactions that the earlier snapshot
 * did not see. So each one is counted once, however late it was stored and regardless of its clock.
 *
 * @param refs UUIDs
 * @param since undefined for the first look, which only takes the snapshot
 * @param now this server's clock, in epoch milliseconds; the database may have another
 * @throws {DatabaseUnavailableError}
 */
export async function lookForHits(
  database: Database,
  refs: readonly string[],
  since: string | undefined,
  now: number,
): Promise<Look> {
  // Without parameters, so that the planner knows the times: with a generic plan it would read whole months.
  const [row] = await queryAs<{ snapshot: string; rows: Row[] | null }>(
    database,
    { role: 'hoplet_visits', readOnly: true, statementTimeout: 4_000 },
    `select pg_current_snapshot()::text as snapshot, ${since === undefined ? 'null' : newsSince(since, refs, now)} as rows`,
  )
  return { snapshot: row?.snapshot ?? '', news: collect(row?.rows ?? []) }
}

interface Row {
  ref: string
  verdict: string
  hits: number
  first: number
  last: number
}

/** @param since is from the database itself, and the ids are checked */
function newsSince(since: string, refs: readonly string[], now: number): string {
  return `(
    with hits as materialized (
        select e.scope, e.account, e.verdict::text as verdict, count(*) as hits, min(e.at) as first, max(e.at) as last
        from app.click_events e
        where ${isRecent('e.at', now)} and ${isNew('e', since)} and e.verdict <> 'i' group by 1, 2, 3
        union all
        -- Delivered hits: rows were written again on delivery.
        select h.scope, h.account, h.verdict::text, count(*), min(h.at), max(h.at)
        from app.click_outbox o cross join lateral app.hits_in(o.columns) h
        where o.kind = 'h' and o.made_at > now() - interval '30 minutes' and o.delivered_at is not null and app.hits_are_in_clickhouse()
          and ${isNew('o', since)} and ${isRecent('h.at', now)} and h.verdict <> 'i' group by 1, 2, 3),
      sums as (
        select s.ref, h.verdict, sum(h.hits) as hits, extract(epoch from min(h.first)) * 1000 as first,
          extract(epoch from max(h.last)) * 1000 as last
        from hits h cross join lateral (values (h.scope), (h.account)) v (id) join app.click_scopes s on s.id = v.id
        where s.ref = any ('{${refs.join(',')}}') group by 1, 2)
    select jsonb_agg(to_jsonb(s)) from sums s)`
}

/** A condition on rows that were committed after the earlier look. */
function isNew(row: string, since: string): string {
  const oldest = BigInt(since.split(':')[0] ?? '0')
  // Rows have the lower half of their transaction's number, and age() counts back from the newest one.
  const age = `age('${oldest & 0xffff_ffffn}'::xid)`
  return `age(${row}.xmin) <= ${age}
    and not pg_visible_in_snapshot((${oldest} + ${age} - age(${row}.xmin))::text::xid8, '${since}')`
}

const isRecent = (at: string, now: number) =>
  `${at} >= least(now(), to_timestamp(${now} / 1000.0)) - interval '${maxLatenessMs} ms' and ${at} < now() + interval '1 day'`

function collect(rows: readonly Row[]): News[] {
  const byRef = new Map<string, News>()
  for (const { ref, verdict: letter, hits, first, last } of rows) {
    const verdict = verdictOf.get(letter)
    if (!verdict) continue
    const news = byRef.get(ref) ?? { ref, counts: {}, first, last }
    byRef.set(ref, mergeNews(news, { ref, counts: { [verdict]: hits }, first, last }))
  }
  return [...byRef.values()]
}

export function mergeNews(before: News, more: News): News {
  const counts = sumOfCounts(before.counts, more.counts)
  const first = Math.min(before.first, more.first)
  return { ref: before.ref, counts, first, last: Math.max(before.last, more.last) }
}

export function sumOfCounts(a: News['counts'], b: News['counts']): News['counts'] {
  const sums = { ...a }
  for (const [verdict, count] of Object.entries(b) as [HitVerdict, number][])
    sums[verdict] = (sums[verdict] ?? 0) + count
  return sums
}
