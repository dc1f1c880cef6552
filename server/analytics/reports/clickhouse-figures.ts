import { maxValues } from './postgres-figures.ts'
import type { FiguresQuestion, Span } from './question.ts'
import {
  type ClickHouseQuery,
  dayMicros,
  figures,
  filterConditions,
  knownColumn,
  localDay,
  ofScope,
  zoneOf,
  withinSpan,
} from './clickhouse-query.ts'
import { inSample } from '../clickhouse/schema.ts'

const sums = ['counted', 'repeats', 'own', 'bots', 'visitors'].map(
  (name) => `sum(${name}) as ${name}`,
)

export interface ClickHouseFigures extends Omit<FiguresQuestion, 'by'> {
  /** `visitors` counts nothing else, by day, added up. */
  by: FiguresQuestion['by'] | 'visitors'
  rate: number | null
  /** The times of which visitors are counted; those of others are known. */
  people: readonly Span[]
}

/**
 * By a dimension, by time in the zone, or (by 'visitors') only how many visitors each day had, added up. Whole UTC days of an
 * account without filters come from projections, the rest from hits (schema.ts).
 */
export function figuresQuery(asked: ClickHouseFigures): ClickHouseQuery {
  const { by, scope, account, from: first, to, rate } = asked
  const filtered = filterConditions(asked.filters)
  const parameters = {
    scope,
    account,
    zone: zoneOf(asked.zone),
    from: first,
    to,
    ...filtered.parameters,
    ...wholeDays(asked),
  }
  const from = rate === null ? 'click_hits' : 'click_samples'
  const ofAll = `from ${from} where ${ofScope(asked)}${filtered.text}${rate === 512 ? ` and ${inSample(512)}` : ''}`
  const people = (bucket: string) =>
    `select ${bucket} as value, 0 as counted, 0 as repeats, 0 as own, 0 as bots, sum(n) as visitors from (
      select ${by === 'hour' ? 'value' : 'day'}, uniqExact(visitor) as n from (select visitor, ${by === 'hour' ? `${hourOf} as value` : `${localDay} as day`} ${ofAll} and ${inOneOf(asked.people)}
        and visitor <> 0 and verdict in ('counted', 'repeat')) group by 1) group by value`
  const counts = (key: string, value: string) => {
    const parts = daySpans(asked).map(
      (span) =>
        `select ${key} as k, verdict, count() as n ${ofAll} and ${span} group by k, verdict`,
    )
    return `select ${value} as value, ${pivot}, 0 as visitors from (${parts.join(' union all ')}) group by value`
  }
  const both = (value: string, bucket: string) =>
    `select value, ${sums.join(', ')} from (${counts(quarterOf, value)} union all ${people(bucket)}) group by value`
  const kind: string = by
  switch (kind) {
    case 'visitors':
      return { text: people(`''`), parameters }
    case 'hour':
      return {
        text: `select value, ${sums.join(', ')} from (select ${hourOf} as value, ${figures}, 0 as visitors ${ofAll} and ${withinSpan} group by value
          union all ${people('value')}) group by value`,
        parameters,
      }
    case 'day':
      return { text: both('toString(toDate(k, {zone: String}))', 'toString(day)'), parameters }
    case 'month':
      return {
        text: both(
          'toString(toStartOfMonth(toDate(k, {zone: String})))',
          'toString(toStartOfMonth(day))',
        ),
        parameters,
      }
    case 'weekhour': {
      const value =
        'toString((toDayOfWeek(k, 0, {zone: String}) - 1) * 24 + toHour(k, {zone: String}))'
      return { text: counts(quarterOf, value), parameters }
    }
    default:
      return {
        text: `select if(place <= ${maxValues}, name, null) as value, ${sums.join(', ')}
          from (select value as name, counted, repeats, own, bots, visitors, row_number() over (order by counted + repeats + own + bots desc, value) as place
            from (${counts(knownColumn(by), 'toString(k)')}))
          group by value`,
        parameters,
      }
  }
}

function inOneOf(spans: readonly Span[]): string {
  const conditions = spans.map(
    ({ from, to }) =>
      `(at >= fromUnixTimestamp64Micro(${from}) and at < fromUnixTimestamp64Micro(${to}))`,
  )
  return conditions.length === 0 ? 'false' : `(${conditions.join(' or ')})`
}

/** Time zones differ by quarters of an hour. */
const quarterOf = `toStartOfFifteenMinutes(at)`
/** The first full hour of the zone, in microseconds since 1970. */
const firstHour = `(toUnixTimestamp(toStartOfHour(fromUnixTimestamp64Micro({from: Int64}), {zone: String})) * 1000000)`
const hourOf = `formatDateTime(fromUnixTimestamp64Micro(${firstHour} + intDiv(toUnixTimestamp64Micro(at) - ${firstHour}, 3600000000) * 3600000000),
  '%Y-%m-%dT%H:%i:%SZ', 'UTC')`
const pivot = `sumIf(n, verdict = 'counted') as counted, sumIf(n, verdict = 'repeat') as repeats, sumIf(n, verdict = 'own') as own,
  sumIf(n, verdict not in ('counted', 'repeat', 'own')) as bots`

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
