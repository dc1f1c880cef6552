import { clickDimensions, type ClickDimension, type ReportBy } from '#domain/reports/hits.ts'
import { hourOfZone, knownColumn, localDay, quarterOfHit } from './clickhouse-query.ts'
import { groupOf } from './postgres-conditions.ts'
import type { FiguresQuestion } from './question.ts'
import { timeOf, type Values } from './statement.ts'

/** Groups of hits: by which key, and how the group is named. */
export interface Grouping {
  key: string
  name: string
}

/** Rollups of a dimension (database/code/14_reports.sql). */
interface Rolled {
  /** The longest rollup that has it. */
  grain: 'day' | 'month'
  /** Rows `r` of app.click_rollups: their dimension, their value in the report, and whether only their visitors count. */
  rows: readonly { dimension: string; value: string; onlyVisitors?: true }[]
}

/** Times in which ClickHouse counts each visitor once: a day or an hour, and the name of a `bucket`. */
interface VisitorBuckets {
  each: string
  name: string
}

/** A way to split a report, with one clause for each store. */
export interface Dimension {
  /** Groups of hits `e`; the name is that of a group `g.key`. */
  postgres: (question: FiguresQuestion, values: Values) => Grouping
  /** The name is that of a key `k`. */
  clickhouse: Grouping
  /** Null: hits alone have it. */
  rolled: Rolled | null
  /** `clicks`: the values with most hits, and one row for the rest. `number`: all values. `time`: every bucket of the range. */
  order: 'clicks' | 'number' | 'time'
  /** Null: visitors are not counted. */
  visitors: VisitorBuckets | null
}

/** Time zones differ by quarters of an hour, so few moments have to be brought into the zone. */
const quarter = `date_bin('15 minutes', e.at, timestamptz '1970-01-01 00:00Z')`
const inZone = (zone: string, values: Values) => `g.key at time zone ${values.bind(zone, 'text')}`

/** A period of days: whole ones are rolled up. */
const daysAs = (grain: 'day' | 'month', rolledName: string, name: (day: string) => string) =>
  ({
    postgres: ({ zone }, values) => ({
      key: quarter,
      name: `date_trunc('${grain}', ${inZone(zone, values)})::date::text`,
    }),
    clickhouse: { key: quarterOfHit, name: name('toDate(k, {zone: String})') },
    rolled: { grain, rows: [{ dimension: 'total', value: rolledName }] },
    order: 'time',
    visitors: { each: localDay, name: name('bucket') },
  }) satisfies Dimension

/** A fact of a hit: a column of both stores and a dimension of their rollups. */
const fact = (name: ClickDimension): Dimension => ({
  postgres: () => groupOf(name),
  clickhouse: { key: knownColumn(name), name: 'toString(k)' },
  rolled: { grain: 'month', rows: [{ dimension: name, value: 'r.value' }] },
  order: 'clicks',
  visitors: null,
})

/** Every dimension and period of reports. */
export const dimensions: Readonly<Record<ReportBy, Dimension>> = {
  ...(Object.fromEntries(clickDimensions.map((name) => [name, fact(name)])) as Record<
    ClickDimension,
    Dimension
  >),
  total: {
    ...fact('verdict'),
    rolled: {
      grain: 'month',
      rows: [
        { dimension: 'verdict', value: 'r.value' },
        { dimension: 'total', value: `''`, onlyVisitors: true },
      ],
    },
    visitors: { each: localDay, name: `''` },
  },
  hour: {
    postgres: ({ zone, from }, values) => {
      const first = `date_trunc('hour', ${values.bind(timeOf(from), 'timestamptz')}, ${values.bind(zone, 'text')})`
      return { key: `date_bin('1 hour', e.at, ${first})`, name: 'app.hour_name(g.key)' }
    },
    clickhouse: { key: hourOfZone, name: 'k' },
    rolled: null,
    order: 'time',
    visitors: { each: hourOfZone, name: 'bucket' },
  },
  day: daysAs('day', 'r.day::text', (day) => `toString(${day})`),
  month: daysAs(
    'month',
    `date_trunc('month', r.day)::date::text`,
    (day) => `toString(toStartOfMonth(${day}))`,
  ),
  weekhour: {
    postgres: ({ zone }, values) => {
      // 1970-01-01 was a Thursday.
      const hours = `floor(date_part('epoch', (${inZone(zone, values)}) - timestamp '1970-01-01') / 3600)::integer`
      return { key: quarter, name: `((${hours} + 72) % 168)::text` }
    },
    clickhouse: {
      key: quarterOfHit,
      name: 'toString((toDayOfWeek(k, 0, {zone: String}) - 1) * 24 + toHour(k, {zone: String}))',
    },
    rolled: { grain: 'month', rows: [{ dimension: 'weekhour', value: 'r.value' }] },
    order: 'number',
    visitors: null,
  },
}
