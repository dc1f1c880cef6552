import { type ListDimension, listDimensions } from '#domain/reports/hits.ts'
import type { CountedKind } from '#domain/reports/report-answers.ts'
import type { ClickFilters } from '#web/clicks/report.ts'
import { type RangePreset, readReportView, type ReportView } from './report-view.ts'

// The view in an address, in the words of the reports, and the addresses that the controls lead to.

export function filtersOf(view: ReportView): ClickFilters {
  const filters: ClickFilters = {}
  for (const dimension of listDimensions) {
    const values = valuesOf(view, dimension)
    if (values.length > 0) filters[dimension] = values
  }
  return filters
}

export function valuesOf(view: ReportView, dimension: ListDimension): readonly string[] {
  const value = view[dimension]
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

export function hasFilters(view: ReportView): boolean {
  return listDimensions.some((dimension) => view[dimension] !== undefined)
}

/** Which special hits count: repeats and own visits unless they are off, bots and imported ones if they are on. */
export function includedKinds(view: ReportView): CountedKind[] {
  const kinds: CountedKind[] = []
  if (view.repeats !== false) kinds.push('repeats')
  if (view.own !== false) kinds.push('own')
  if (view.bots === true) kinds.push('bots')
  if (view.imported === true) kinds.push('imported')
  return kinds
}

export function chosenRange(view: ReportView): RangePreset | 'custom' {
  return view.from === undefined ? (view.range ?? '30d') : 'custom'
}

export function withRange(
  view: ReportView,
  range: RangePreset | { from: string; to: string },
): ReportView {
  const { range: _, from: _from, to: _to, exact: _exact, ...rest } = view
  return readReportView({ ...rest, ...(typeof range === 'string' ? { range } : range) })
}

export function withComparison(view: ReportView, compare: 'period' | 'year'): ReportView {
  return readReportView({ ...view, compare })
}

export function withKind(view: ReportView, kind: CountedKind, isOn: boolean): ReportView {
  return readReportView({ ...view, [kind]: isOn })
}

/** Narrows to this value, or no longer. Hits of bots can only be seen with bots. */
export function withFilter(view: ReportView, dimension: ListDimension, value: string): ReportView {
  const chosen = valuesOf(view, dimension)
  const isAdded = !chosen.includes(value)
  const values = isAdded ? [...chosen, value] : chosen.filter((other) => other !== value)
  const kind = isAdded ? kindNeededFor(dimension, value) : undefined
  return readReportView({
    ...view,
    [dimension]: values,
    ...(kind !== undefined && { [kind]: true }),
  })
}

export function withoutFilters(view: ReportView): ReportView {
  return readReportView({
    ...view,
    ...Object.fromEntries(listDimensions.map((dimension) => [dimension, undefined])),
  })
}

function kindNeededFor(dimension: ListDimension, value: string): CountedKind | undefined {
  if (dimension === 'bot') return value === '' ? undefined : 'bots'
  return dimension === 'verdict' ? kindOf(value) : undefined
}

/** The switch that a verdict belongs to; undefined for plainly counted hits. */
export function kindOf(verdict: string): CountedKind | undefined {
  if (verdict === 'counted') return undefined
  if (verdict === 'imported') return 'imported'
  return verdict === 'repeat' ? 'repeats' : verdict === 'own' ? 'own' : 'bots'
}
