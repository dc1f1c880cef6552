import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clickDimensions, reportVerdicts } from '#domain/reports/hits.ts'
import {
  rangePresets,
  readAnalyticsView,
  readReportView,
  type ReportView,
} from '#web/features/analytics/report-view.ts'
import {
  filtersOf,
  includedKinds,
  chosenRange,
  withComparison,
  withFilter,
  withKind,
  withoutFilters,
  withRange,
} from '#web/features/analytics/view-parts.ts'

const id = '11111111-2222-4333-8444-555555555555'
const day = fc
  .date({
    min: new Date('2020-01-01T00:00:00Z'),
    max: new Date('2026-12-31T00:00:00Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString().slice(0, 10))
// Half a surrogate pair has no place in an address.
const text = fc.string({ unit: 'grapheme', maxLength: 40 })

const change = fc.oneof(
  fc.constantFrom(...rangePresets).map((range) => (view: ReportView) => withRange(view, range)),
  fc.tuple(day, day).map(([a, b]) => (view: ReportView) => {
    const [from, to] = a < b ? [a, b] : [b, a]
    return withRange(view, { from, to })
  }),
  fc
    .constantFrom('period' as const, 'year' as const)
    .map((compare) => (view: ReportView) => withComparison(view, compare)),
  fc.tuple(fc.constantFrom('repeats', 'own', 'bots', 'imported'), fc.boolean()).map(
    ([kind, isOn]) =>
      (view: ReportView) =>
        withKind(view, kind, isOn),
  ),
  fc
    .tuple(fc.constantFrom(...clickDimensions), text, fc.uuid(), fc.constantFrom(...reportVerdicts))
    .map(([dimension, value, uuid, verdict]) => (view: ReportView) => {
      const named = { target: uuid, verdict: verdict as string }
      return withFilter(view, dimension, named[dimension as 'target'] ?? value)
    }),
)

/** What the router makes of a view, and back. */
function overTheAddress(view: object): Record<string, unknown> {
  return defaultParseSearch(defaultStringifySearch(view as Record<string, unknown>))
}

it('a report comes back from its address as it was, whatever was chosen', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const view = changes.reduce((now, apply) => apply(now), readReportView({}))
      expect(readReportView(overTheAddress(view))).toEqual(view)
      const about = { scope: 'bio_link', id, ...view } as const
      expect(readAnalyticsView(overTheAddress(about))).toEqual(about)
    }),
  )
})

it('any address is a report', () => {
  const anyValue = fc.oneof(fc.string(), fc.jsonValue(), fc.constantFrom('24h', 'link', true, id))
  const anyKey = fc.constantFrom('range', 'from', 'to', 'bots', 'scope', 'id', ...clickDimensions)
  fc.assert(
    fc.property(fc.dictionary(anyKey, anyValue), (search) => {
      const view = readAnalyticsView(search)
      expect(readAnalyticsView(overTheAddress(view))).toEqual(view)
      expect(includedKinds(view).length).toBeLessThanOrEqual(3)
      for (const values of Object.values(filtersOf(view)))
        expect(values.every((value) => typeof value === 'string' && value.length <= 500)).toBe(true)
    }),
  )
})

it('nonsense falls back to the last 30 days of the account', () => {
  for (const search of [
    { range: '31d' },
    { from: '2026-02-30', to: '2026-03-02' },
    { from: '2026-03-02', to: '2026-03-01' },
    { from: '2026-03-02' },
    { from: '2001-01-01', to: '2026-03-01' },
    { scope: 'account', id },
    { scope: 'link', id: 'all' },
    { scope: 'link' },
    { repeats: 'no', own: 0, bots: 'yes' },
    { target: 'mine', verdict: ['maybe'], country: { DE: 1 } },
  ])
    expect(readAnalyticsView(search)).toEqual({})
  expect(chosenRange({})).toBe('30d')
})

it('values of one dimension are added and taken off again', () => {
  const both = withFilter(withFilter({}, 'country', 'DE'), 'country', '')
  expect(filtersOf(both)).toEqual({ country: ['DE', ''] })
  expect(withFilter(withFilter(both, 'country', 'DE'), 'country', '')).toEqual({})
  expect(withoutFilters(withFilter(both, 'browser', 'Chrome'))).toEqual({})
})

it('a filter for excluded hits includes them', () => {
  expect(includedKinds(withFilter({}, 'bot', 'Slackbot'))).toContain('bots')
  expect(includedKinds(withFilter({}, 'verdict', 'crawler'))).toContain('bots')
  expect(includedKinds(withFilter({ own: false }, 'verdict', 'own'))).toContain('own')
  expect(withFilter({}, 'verdict', 'counted')).toEqual({ verdict: 'counted' })
})
