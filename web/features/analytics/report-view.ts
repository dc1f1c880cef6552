import { type ListDimension, listDimensions, reportVerdicts } from '#domain/reports/hits.ts'

// The router reads addresses with this file, so every person loads it.

/** Ranges that end now, and those of the calendar; the third is the one that opens. */
export const rangePresets = [
  '24h',
  '7d',
  '30d',
  '90d',
  '12m',
  'yesterday',
  'month',
  'last-month',
  'year',
  'all',
] as const
export type RangePreset = (typeof rangePresets)[number]

/** View of a report, as in the address. Defaults are not in it. */
export type ReportView = {
  range?: Exclude<RangePreset, '30d'>
  /** A range of whole days, both included: YYYY-MM-DD. */
  from?: string
  to?: string
  /** Compared with the same time a year before, instead of the time right before it. */
  compare?: 'year'
  repeats?: false
  own?: false
  bots?: true
  imported?: true
  exact?: true
} & Partial<Record<ListDimension, string | string[]>>

const rowScopes = ['link', 'bio', 'bio_link', 'tag'] as const
type RowScope = (typeof rowScopes)[number]

/** The same for the screen that is not about one row alone. */
export type AnalyticsView = ReportView & { scope?: RowScope; id?: string }

const maxValues = 50
const maxLength = 500

/** Takes valid parts, and leaves out defaults. */
export function readReportView(search: Record<string, unknown>): ReportView {
  const view: ReportView = {}
  const { from, to } = search
  const range = rangePresets.find((preset) => preset === search['range'])
  if (isDay(from) && isDay(to) && from <= to && to < tenYearsAfter(from))
    Object.assign(view, { from, to })
  else if (range !== undefined && range !== '30d') view.range = range
  if (search['compare'] === 'year') view.compare = 'year'
  if (search['repeats'] === false) view.repeats = false
  if (search['own'] === false) view.own = false
  if (search['bots'] === true) view.bots = true
  if (search['imported'] === true) view.imported = true
  if (search['exact'] === true) view.exact = true
  for (const dimension of listDimensions) {
    const values = readValues(dimension, search[dimension])
    if (values.length > 0) view[dimension] = values.length === 1 ? (values[0] ?? '') : values
  }
  return view
}

export function readAnalyticsView(search: Record<string, unknown>): AnalyticsView {
  const { id } = search
  const scope = rowScopes.find((each) => each === search['scope'])
  return {
    ...(scope !== undefined && typeof id === 'string' && isUuid(id) && { scope, id }),
    ...readReportView(search),
  }
}

function readValues(dimension: ListDimension, given: unknown): string[] {
  const values = (Array.isArray(given) ? given : [given]).flatMap((value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  )
  return [...new Set(values)].filter((value) => isValue(dimension, value)).slice(0, maxValues)
}

function isValue(dimension: ListDimension, value: string): boolean {
  if (dimension === 'target') return isUuid(value)
  if (dimension === 'verdict') return reportVerdicts.some((verdict) => verdict === value)
  return value.length <= maxLength
}

function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
}

/** Whether it is a day of the calendar, in a year that can have clicks. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^20\d\d-\d\d-\d\d$/.test(value)) return false
  const day = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
}

/** Reports are about eleven years at most. */
function tenYearsAfter(day: string): string {
  return `${Number(day.slice(0, 4)) + 10}${day.slice(4)}`
}
