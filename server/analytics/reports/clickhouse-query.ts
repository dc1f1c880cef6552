import { clickDimensions } from '#domain/reports/hits.ts'
import type { NumberedScope, Filters } from './question.ts'
import { orThrow } from '../../primitives/or-throw.ts'

export interface ClickHouseQuery {
  text: string
  parameters: Record<string, unknown>
}
export type AskClickHouse = <Row>(query: ClickHouseQuery) => Promise<Row[]>

/** PostgreSQL also knows zones by names that ClickHouse does not. */
export function zoneOf(name: string): string {
  const zone = name.replace(/^posix\//, '')
  return zone === 'Factory' || zone === 'localtime' ? 'UTC' : zone
}

export const dayMicros = 86_400_000_000

/** Dimensions are columns of the table; the target has its number there. */
const columnOf = new Map<string, string>(
  clickDimensions.map((name) => [name, name === 'target' ? 'scope' : name]),
)
/** Orders hits of the same visitor at the same moment: identical rows are interchangeable. */
export const restOfKey = [...columnOf.values()].join(', ')

export const byPeople = `verdict in ('counted', 'repeat', 'own')`
export const withinSpan =
  'at >= fromUnixTimestamp64Micro({from: Int64}) and at < fromUnixTimestamp64Micro({to: Int64})'
export const localDay = 'toDate(at, {zone: String})'
/** Time zones differ by quarters of an hour. */
export const quarterOfHit = 'toStartOfFifteenMinutes(at)'
/** The first full hour of the zone, in microseconds since 1970. */
const firstHour = `(toUnixTimestamp(toStartOfHour(fromUnixTimestamp64Micro({from: Int64}), {zone: String})) * 1000000)`
export const hourOfZone = `formatDateTime(fromUnixTimestamp64Micro(${firstHour} + intDiv(toUnixTimestamp64Micro(at) - ${firstHour}, 3600000000) * 3600000000),
  '%Y-%m-%dT%H:%i:%SZ', 'UTC')`
export const figures = `countIf(verdict = 'counted') as counted, countIf(verdict = 'repeat') as repeats, countIf(verdict = 'own') as own,
  countIf(verdict not in ('counted', 'repeat', 'own', 'imported')) as bots, countIf(verdict = 'imported') as imported`

/** The hits of an account or of one thing in it. The account comes first in the order of the table. */
export function ofScope({ scope, account }: NumberedScope): string {
  return scope === account
    ? 'account = {account: Int32}'
    : 'account = {account: Int32} and scope = {scope: Int32}'
}

/** The column of a dimension. @throws {Error} for an unknown one: the database has checked it */
export function knownColumn(dimension: string): string {
  return orThrow(columnOf.get(dimension), () => new Error(`Unknown dimension: ${dimension}`))
}

/** Conditions that follow others. */
export function filterConditions(given: Filters): ClickHouseQuery {
  const parameters: Record<string, unknown> = {}
  const conditions = Object.entries(given).map(([name, values], index) => {
    const key = `filter_${index}`
    parameters[key] = values
    return ` and toString(${knownColumn(name)}) in ({${key}: Array(String)})`
  })
  return { text: conditions.join(''), parameters }
}
