import { dimensions } from './dimensions.ts'
import { maxValues } from './postgres-figures.ts'
import type { FiguresQuestion, Span } from './question.ts'
import {
  type ClickHouseQuery,
  dayMicros,
  filterConditions,
  ofScope,
  zoneOf,
  withinSpan,
} from './clickhouse-query.ts'
import { inSample } from '../clickhouse/schema.ts'

const sums = ['counted', 'repeats', 'own', 'bots', 'imported', 'visitors'].map(
  (name) => `sum(${name}) as ${name}`,
)

export interface ClickHouseFigures extends FiguresQuestion {
  rate: number | null
  /** The times of which visitors are counted; those of others are known. */
  people: readonly Span[]
}

/** Whole UTC days of an account without filters come from projections, the rest from hits (schema.ts). */
export function figuresQuery(asked: ClickHouseFigures): ClickHouseQuery {
  const { by, scope, account, from: first, to, rate } = asked
  const { clickhouse: group, order, visitors } = dimensions[by]
  const filtered = filterConditions(asked.filters)
  const from = rate === null ? 'click_hits' : 'click_samples'
  const ofAll = `from ${from} where ${ofScope(asked)}${filtered.text}${rate === 512 ? ` and ${inSample(512)}` : ''}`
  const counts = () => {
    const parts = daySpans(asked).map(
      (span) =>
        `select ${group.key} as k, verdict, count() as n ${ofAll} and ${span} group by k, verdict`,
    )
    return `select ${group.name} as value, ${pivot}, 0 as visitors from (${parts.join(' union all ')}) group by value`
  }
  const people = ({ each, name }: NonNullable<typeof visitors>) =>
    `select ${name} as value, 0 as counted, 0 as repeats, 0 as own, 0 as bots, 0 as imported, sum(n) as visitors from (
      select bucket, uniqExact(visitor) as n from (select visitor, ${each} as bucket ${ofAll} and ${inOneOf(asked.people)}
        and visitor <> 0 and verdict in ('counted', 'repeat')) group by bucket) group by value`
  const found = visitors
    ? `select value, ${sums.join(', ')} from (${counts()} union all ${people(visitors)}) group by value`
    : counts()
  return {
    text: order === 'clicks' ? limited(found) : found,
    parameters: {
      scope,
      account,
      zone: zoneOf(asked.zone),
      from: first,
      to,
      ...filtered.parameters,
      ...wholeDays(asked),
    },
  }
}

/** The values with most hits; the others are one row without a value. */
function limited(found: string): string {
  return `select if(place <= ${maxValues}, name, null) as value, ${sums.join(', ')}
    from (select value as name, counted, repeats, own, bots, imported, visitors, row_number() over (order by counted + repeats + own + bots + imported desc, value) as place
      from (${found}))
    group by value`
}

function inOneOf(spans: readonly Span[]): string {
  const conditions = spans.map(
    ({ from, to }) =>
      `(at >= fromUnixTimestamp64Micro(${from}) and at < fromUnixTimestamp64Micro(${to}))`,
  )
  return conditions.length === 0 ? 'false' : `(${conditions.join(' or ')})`
}

const pivot = `sumIf(n, verdict = 'counted') as counted, sumIf(n, verdict = 'repeat') as repeats, sumIf(n, verdict = 'own') as own,
  sumIf(n, verdict not in ('counted', 'repeat', 'own', 'imported')) as bots, sumIf(n, verdict = 'imported') as imported`

/** The first whole UTC day in a span and the one after the last, as days since 1970. */
function wholeDays({ from, to }: { from: number; to: number }) {
  return { first_day: Math.ceil(from / dayMicros), next_day: Math.floor(to / dayMicros) }
}

/** A span as its whole UTC days and the hours before and after them. */
function daySpans(asked: { from: number; to: number }): string[] {
  const { first_day, next_day } = wholeDays(asked)
  if (first_day >= next_day) return [withinSpan]
  const days = 'toDate(at) >= toDate({first_day: Int32}) and toDate(at) < toDate({next_day: Int32})'
  return [
    days,
    ...(asked.from < first_day * dayMicros
      ? ['at >= fromUnixTimestamp64Micro({from: Int64}) and at < toDate({first_day: Int32})']
      : []),
    ...(asked.to > next_day * dayMicros
      ? ['at >= toDate({next_day: Int32}) and at < fromUnixTimestamp64Micro({to: Int64})']
      : []),
  ]
}
