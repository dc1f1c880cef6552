import type { Transaction } from '../../postgres/database.ts'
import { onlyRow } from '../../postgres/rows.ts'
import { dimensions } from './dimensions.ts'
import {
  compileFilterNumbers,
  compileFilters,
  hitsOfScope,
  withinTimes,
} from './postgres-conditions.ts'
import type { Counts, Figure, HitFigures, FiguresQuestion, Span } from './question.ts'
import { type SqlStatement, timeOf, Values } from './statement.ts'

/** Rows of a report that are listed. A report shows 1,000 at most. */
export const maxValues = 10_000
/** More than these would not be written out: the planner knows the partitions of a few, and may use more than one process. */
const maxWrittenSpans = 4
/** Above so many hits a sample is counted, in which one visitor in so many is: about 300,000 rows at most are read. */
const samples = {
  postgres: [
    [9_600_000, 512],
    [300_000, 32],
  ],
  clickhouse: [
    [160_000_000, 512],
    [5_000_000, 32],
  ],
} as const

const counts = `count(*) filter (where e.verdict = 'c') as counted, count(*) filter (where e.verdict = 'r') as repeats,
  count(*) filter (where e.verdict = 'o') as own, count(*) filter (where e.verdict not in ('c', 'r', 'o', 'i')) as bots,
  count(*) filter (where e.verdict = 'i') as imported`
const countNames = [
  'counted',
  'repeats',
  'own',
  'bots',
  'imported',
] as const satisfies (keyof Counts)[]

/** Where the figures come from: days and months that are rolled up, and hits in the spans between them. */
export interface ReportPlan {
  inClickHouse: boolean
  days: string[]
  months: string[]
  spans: Span[]
  rate: number | null
  /** Numbers of the filters (postgres-conditions.ts). */
  numbers: Readonly<Record<string, unknown>>
}

interface PlanRow extends Record<string, unknown> {
  in_clickhouse: boolean
  days: string[]
  months: string[]
  spans: string[]
  about: string | null
}

export async function planReport(db: Transaction, question: FiguresQuestion): Promise<ReportPlan> {
  const { scope, account, zone, from, to, by, filters, exact } = question
  const { rolled } = dimensions[by]
  const usesRollups = rolled !== null && Object.keys(filters).length === 0
  const values = new Values()
  const asked = [
    values.bind(scope, 'integer'),
    values.bind(account, 'integer'),
    values.bind(zone, 'text'),
    values.bind(timeOf(from), 'timestamptz'),
    values.bind(timeOf(to), 'timestamptz'),
  ].join(', ')
  const about = usesRollups || exact ? 'null' : `app.about_hits(${asked})`
  const numbers = compileFilterNumbers(filters, values)
  const row = await onlyRow<PlanRow>(
    db,
    `select p.in_clickhouse, p.days::text[], p.months::text[], p.spans, ${[`${about} as about`, ...numbers].join(', ')}
      from app.report_plan(${asked}, ${usesRollups}, ${rolled?.grain === 'month'}) p`,
    values.values,
  )
  const { in_clickhouse: inClickHouse, days, months, spans } = row
  const store = inClickHouse ? 'clickhouse' : 'postgres'
  const rate = samples[store].find(([hits]) => Number(row.about) > hits)?.[1] ?? null
  return { inClickHouse, days, months, spans: pairsOf(spans.map(Number)), rate, numbers: row }
}

function pairsOf(ends: readonly number[]): Span[] {
  return ends.flatMap((from, i) => (i % 2 === 0 ? [{ from, to: ends[i + 1] ?? from }] : []))
}

interface FigureRow extends Record<string, unknown>, Omit<Figure, 'visitors'> {
  visitors: number | null
  rolled: string
}

/** @returns undefined when hits came late meanwhile, so that the plan does not hold any more */
export async function readFigures(
  db: Transaction,
  question: FiguresQuestion,
  plan: ReportPlan,
): Promise<HitFigures | undefined> {
  const { text, values } = compileFigures(question, plan)
  const { rows } = await db.query<FigureRow>(text, values)
  if (Number(rows[0]?.rolled) !== plan.days.length + plan.months.length) return undefined
  const found = rows.filter(({ visitors }) => visitors !== null)
  return {
    rows: found.map(({ value, counted, repeats, own, bots, imported, visitors }) => ({
      value,
      counted,
      repeats,
      own,
      bots,
      imported,
      visitors: visitors ?? 0,
    })),
    rate: plan.rate,
  }
}

/** One statement: rollups, hits that are not rolled up, and their visitors; and whether the plan's days are still rolled up. */
function compileFigures(question: FiguresQuestion, plan: ReportPlan): SqlStatement {
  const values = new Values()
  const rolled = `select k.grain::"char" as grain, k.day from (
    select 'd' as grain, d as day from unnest(${values.bind(plan.days, 'date[]')}) d
    union all select 'm', m from unnest(${values.bind(plan.months, 'date[]')}) m) k`
  const parts = [noFigures, ...rolledFigures(question, values)]
  if (plan.spans.length > 0) {
    parts.push(countHits(question, plan, values))
    if (dimensions[question.by].visitors) parts.push(countVisitors(question, plan, values))
  }
  const sums = [...countNames, 'visitors'].map((name) => `sum(f.${name})::float8 as ${name}`)
  return {
    text: `with rolled as materialized (${rolled}),
      found as (${limited(`select f.value, ${sums.join(', ')} from (${parts.join('\n union all ')}) f group by 1`, question)})
      select c.rolled, found.* from (
        select count(*) as rolled from rolled k join app.click_rollups r
          on r.scope = ${values.bind(question.scope, 'integer')} and r.grain = k.grain and r.day = k.day and r.dimension = 'total'
      ) c left join found on true`,
    values: values.values,
  }
}

/** The values of a dimension with most hits; the others are one row without a value. */
function limited(figures: string, { by }: FiguresQuestion): string {
  if (dimensions[by].order !== 'clicks') return figures
  const sums = [...countNames, 'visitors'].map((name) => `sum(v.${name}) as ${name}`)
  return `select case when v.place <= ${maxValues} then v.value end as value, ${sums.join(', ')}
    from (select f.*, row_number() over (order by f.counted + f.repeats + f.own + f.bots + f.imported desc, f.value) as place from (${figures}) f) v
    group by 1`
}

/** Names the columns of the parts after it, of which there may be none. */
const noFigures = `select null::text as value, ${[...countNames, 'visitors'].map((name) => `0::bigint as ${name}`).join(', ')} where false`

function rolledFigures({ by, scope }: FiguresQuestion, values: Values): string[] {
  const rows = dimensions[by].rolled?.rows ?? []
  return rows.map(({ dimension, value, onlyVisitors = false }) => {
    const counted = countNames.map((name) => (onlyVisitors ? '0' : `r.${name}::bigint`))
    return `select ${value}, ${counted.join(', ')}, r.visitors::bigint
      from rolled k join app.click_rollups r
        on r.scope = ${values.bind(scope, 'integer')} and r.grain = k.grain and r.day = k.day and r.dimension = '${dimension}'`
  })
}

function countHits(question: FiguresQuestion, plan: ReportPlan, values: Values): string {
  const { key, name } = dimensions[question.by].postgres(question, values)
  const rate = plan.rate ?? 1
  const sums = countNames.map((each) => `sum(g.${each})::bigint * ${rate}`)
  return `select ${name}, ${sums.join(', ')}, 0::bigint
    from (select ${key} as key, ${counts} from (${hitsOf(question, plan, values)}) e group by 1) g group by 1`
}

function sourceOf({ rate }: ReportPlan, values: Values): string {
  return rate === null
    ? 'from app.click_events e where'
    : `from app.click_samples e where e.rate = ${values.bind(rate, 'smallint')} and`
}

function hitsOf(question: FiguresQuestion, plan: ReportPlan, values: Values): string {
  const hits = `select e.* ${sourceOf(plan, values)} ${hitsOfScope(question, values)}${compileFilters(question.filters, plan.numbers, values)}`
  if (plan.spans.length > maxWrittenSpans)
    return `select e.* from ${unnestSpans(plan, values)} cross join lateral (${hits} and ${withinTimes('s.starts_at', 's.ends_at')}) e`
  return plan.spans
    .map(({ from, to }) => {
      const ends = [from, to].map((at) => values.bind(timeOf(at), 'timestamptz'))
      return `${hits} and ${withinTimes(ends[0] ?? '', ends[1] ?? '')}`
    })
    .join(' union all ')
}

function unnestSpans({ spans }: ReportPlan, values: Values): string {
  const ends = (['from', 'to'] as const).map((end) =>
    values.bind(
      spans.map((span) => timeOf(span[end])),
      'timestamptz[]',
    ),
  )
  return `unnest(${ends.join(', ')}) s (starts_at, ends_at)`
}

/** Distinct visitors who are not the owner, of each day of the zone, or hour. */
function countVisitors(question: FiguresQuestion, plan: ReportPlan, values: Values): string {
  const { by, zone, from, filters } = question
  const buckets = `app.visitor_buckets('${by}', ${values.bind(zone, 'text')}, ${values.bind(timeOf(from), 'timestamptz')},
    tstzrange(s.starts_at, s.ends_at))`
  return `select b.name, 0, 0, 0, 0, 0, (sum(v.n) * ${plan.rate ?? 1})::bigint
    from ${unnestSpans(plan, values)} cross join ${buckets} b cross join lateral (
      select count(distinct e.visitor) as n ${sourceOf(plan, values)} ${hitsOfScope(question, values)}${compileFilters(filters, plan.numbers, values)}
        and ${withinTimes('b.starts_at', 'b.ends_at')} and e.visitor <> 0 and e.verdict in ('c', 'r')) v
    where v.n > 0 group by 1`
}

/** Visitors of the days that are rolled up: ClickHouse counts those of the rest. */
export async function readRolledVisitors(
  db: Transaction,
  { scope, by }: FiguresQuestion,
  { days }: ReportPlan,
): Promise<Figure[]> {
  const { rolled, visitors } = dimensions[by]
  const total = rolled?.rows.find(({ dimension }) => dimension === 'total')
  if (days.length === 0 || !visitors || !total) return []
  const { rows } = await db.query<{ value: string; visitors: number }>(
    `select ${total.value} as value, sum(r.visitors)::float8 as visitors from app.click_rollups r
      where r.scope = $1 and r.grain = 'd' and r.dimension = 'total' and r.day = any ($2::date[]) group by 1`,
    [scope, days],
  )
  return rows.map((row) => ({ ...row, counted: 0, repeats: 0, own: 0, bots: 0, imported: 0 }))
}
