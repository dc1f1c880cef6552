import type { Transaction } from '../../postgres/database.ts'
import { popupLetters } from '../hits/popup-events.ts'
import { withinTimes } from './postgres-conditions.ts'
import type {
  HitReader,
  PopupDay,
  PopupsQuestion,
  TargetClicks,
  TargetDay,
  TargetsQuestion,
  VariantClicks,
} from './question.ts'
import { readPostgresHits } from './postgres-hits.ts'
import { type SqlStatement, timeOf } from './statement.ts'

const sums = `count(*) filter (where e.verdict = 'c') as counted, count(*) filter (where e.verdict = 'r') as repeats,
  count(*) filter (where e.verdict = 'o') as own`
const quarter = `date_bin('15 minutes', e.at, timestamptz '1970-01-01 00:00Z')`
const byPeople = `e.verdict in ('c', 'r', 'o')`
const actionOf = new Map<string, string>(
  Object.entries(popupLetters).map(([action, letter]) => [letter, action]),
)

/** Reads hits in PostgreSQL; figures have a plan (postgres-figures.ts). */
export function postgresReader(db: Transaction): Omit<HitReader, 'figures'> {
  return {
    hits: (question) => readPostgresHits(db, question),
    async targetDays(question) {
      const { text, values } = compileTargetDays(question)
      const { rows } = await db.query<TargetDay & Record<string, unknown>>(text, values)
      return rows
    },
    async popupDays(question) {
      // Events of several popups lie side by side: in the order of the index, each block would be read again and again.
      await db.query(`select set_config('enable_indexscan', 'off', true)`)
      const { text, values } = compilePopupDays(question)
      const { rows } = await db.query<Omit<PopupDay, 'action'> & { action: string }>(text, values)
      return rows.map((row) => ({ ...row, action: actionOf.get(row.action) as PopupDay['action'] }))
    },
    async variants({ scope, popup, from, to }) {
      const within = withinTimes('$2::timestamptz', '$3::timestamptz')
      const { rows } = await db.query<VariantClicks & Record<string, unknown>>(
        `with converted as materialized (
            select distinct e.visitor from app.popup_events e where e.popup = $4 and ${within} and e.surface = $1
              and e.visitor <> 0 and e.action in ('${popupLetters.clicked}', '${popupLetters.emailed}') and e.verdict in ('c', 'r')),
          clicks as materialized (
            select e.origin, e.visitor, count(*) as n, bool_or(e.verdict in ('c', 'r')) as is_of_others
            from app.click_events e where e.scope = $1 and ${within} and ${byPeople} group by 1, 2),
          named as (
            select o.rule, o.variant, c.visitor, sum(c.n) as n, bool_or(c.is_of_others) as is_of_others
            from clicks c join app.click_origins o on o.id = c.origin where o.variant <> '' group by 1, 2, 3)
        select n.rule, n.variant, sum(n.n)::float8 as clicks,
          (count(*) filter (where n.visitor <> 0 and n.is_of_others))::float8 as shown,
          (count(*) filter (where n.is_of_others and n.visitor in (select v.visitor from converted v)))::float8 as converted
        from named n group by 1, 2`,
        [scope, timeOf(from), timeOf(to), popup],
      )
      return rows
    },
    async recentClicks(accounts) {
      const { rows } = await db.query<TargetClicks & Record<string, unknown>>(
        `select e.account, e.scope, count(*)::float8 as clicks from unnest($1::integer[]) a
          join app.click_events e on e.account = a and app.hour_of(e.at) >= app.hour_of(now() - interval '2 hours')
            and e.at > now() - interval '2 hours' and ${byPeople}
          group by 1, 2`,
        [accounts],
      )
      return rows
    },
    busiestTargets: (hits, limit) => readBusiestTargets(db, hits, limit),
  }
}

/** From the rollups of the account where they can tell, because those have all of its targets. */
function compileTargetDays({ account, targets, zone, from, to }: TargetsQuestion): SqlStatement {
  return {
    text: `with spans as materialized (
        select lower(s) as starts_at, upper(s) as ends_at
        from unnest(app.spans_not_rolled($1::integer, $3, $4::timestamptz, $5::timestamptz)) s),
      days as (
        select r.value::integer as target, r.day, r.counted::bigint, r.repeats::bigint, r.own::bigint from app.click_rollups r
        where r.scope = $1::integer and r.grain = 'd' and r.dimension = 'target' and r.value = any ($2::integer[]::text[])
          and app.local_start(r.day, $3) >= $4::timestamptz and app.local_start(r.day + 1, $3) <= $5::timestamptz
        union all
        select q.target, (q.quarter at time zone $3)::date, q.counted, q.repeats, q.own
        from (
          select t as target, ${quarter} as quarter, ${sums}
          from unnest($2::integer[]) t cross join spans s
            join app.click_events e on e.scope = t and ${withinTimes('s.starts_at', 's.ends_at')}
          where ${byPeople}
          group by 1, 2) q)
    select d.target, d.day::text, sum(d.counted)::float8 as counted, sum(d.repeats)::float8 as repeats, sum(d.own)::float8 as own
    from days d group by 1, 2`,
    values: [account, targets, zone, timeOf(from), timeOf(to)],
  }
}

/** From the rollups of each popup where they can tell. */
export function compilePopupDays({ popups, zone, from, to }: PopupsQuestion): SqlStatement {
  return {
    text: `with popups as materialized (
        select p as id, app.spans_not_rolled(p, $2, $3::timestamptz, $4::timestamptz) as spans from unnest($1::integer[]) p),
      hits as materialized (
        select e.popup, ${quarter} as quarter, e.surface, e.action, e.verdict, e.visitor
        from popups p cross join lateral (
            select lower(s) as starts_at, upper(s) as ends_at from unnest(p.spans) s) s
          join app.popup_events e on e.popup = p.id and ${withinTimes('s.starts_at', 's.ends_at')}
        where ${byPeople}),
      quarters as materialized (
        select q.quarter, (q.quarter at time zone $2)::date as day from (select distinct h.quarter from hits h) q),
      found as materialized (
        select h.*, q.day from hits h join quarters q on q.quarter = h.quarter),
      days as (
        select r.scope as popup, r.day, nullif(substr(r.value, 3), '')::integer as surface, left(r.value, 1) as action,
          r.counted::bigint, r.repeats::bigint, r.own::bigint, r.visitors::bigint
        from app.click_rollups r
        where r.scope = any ($1::integer[]) and r.grain = 'd' and r.dimension = 'action'
          and app.local_start(r.day, $2) >= $3::timestamptz and app.local_start(r.day + 1, $2) <= $4::timestamptz
        union all
        select e.popup, e.day, e.surface, e.action::text, ${sums}, 0 from found e group by 1, 2, 3, 4
        union all
        select f.popup, f.day, null, f.action::text, 0, 0, 0, count(distinct f.visitor)
        from found f where f.visitor <> 0 and f.verdict <> 'o' group by 1, 2, 4)
    select d.popup, d.day::text, d.surface, d.action, d.counted::float8, d.repeats::float8, d.own::float8, d.visitors::float8
    from days d`,
    values: [popups, zone, timeOf(from), timeOf(to)],
  }
}

/** How long ago, growing. */
const recently = [
  '1 minute',
  '10 minutes',
  '1 hour',
  '3 hours',
  '12 hours',
  '2 days',
  '10 days',
  '90 days',
]

/** No index has the order of all hits, so ever longer times are looked at, until there are enough. */
async function readBusiestTargets(
  db: Transaction,
  hits: number,
  limit: number,
): ReturnType<HitReader['busiestTargets']> {
  const recentHits = (since: string) =>
    `from app.click_events e where e.at > now() - interval '${since}' and e.at < now() + interval '1 day'`
  let since = ''
  for (since of recently) {
    const { rowCount } = await db.query(
      `select 1 from (select ${recentHits(since)} limit $1) e offset $1 - 1`,
      [hits],
    )
    if (rowCount !== 0) break
  }
  const { rows } = await db.query<{ scope: number; clicks: number }>(
    `select h.scope, count(*)::float8 as clicks
      from (select e.scope, e.verdict ${recentHits(since)} order by e.at desc limit $1) h
      where h.verdict in ('c', 'r', 'o') group by 1 order by 2 desc, 1 limit $2`,
    [hits, limit],
  )
  return rows
}
