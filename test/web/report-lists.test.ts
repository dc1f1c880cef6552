import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toCsv } from '#domain/csv.ts'
import { changeWords } from '#web/clicks/change-words.ts'
import { valueName } from '#web/features/analytics/lists/dimension-words.ts'
import { listTable } from '#web/features/analytics/lists/list-table.ts'
import { figure, shareWords } from '#web/features/analytics/report-words.ts'
import { seriesPoints } from '#web/features/analytics/series/series.ts'
import { roundUp } from '#web/ui/charts/chart-scale.ts'

const report = {
  from: '',
  to: '',
  by: 'total',
  time_zone: 'UTC',
  sampled: null,
  visitors: 0,
  rest: 0,
  clicks: 0,
  rows: [],
}

it('a list as a file holds values, names, clicks and shares, and no formula', () => {
  const { head, rows } = listTable('referrer', {
    clicks: 8,
    rest: 1,
    rows: [
      { key: '=HYPERLINK("http://evil.example")', clicks: 4 },
      { key: '', clicks: 2 },
      { key: '@sum, "quoted"', clicks: 1 },
    ],
  })
  expect(toCsv(head, rows)).toBe(
    [
      'referrer,name,clicks,share',
      `"'=HYPERLINK(""http://evil.example"")","'=HYPERLINK(""http://evil.example"")",4,0.5`,
      ',Direct or unknown,2,0.25',
      `"'@sum, ""quoted""","'@sum, ""quoted""",1,0.125`,
      ',All others,1,0.125',
      '',
    ].join('\r\n'),
  )
})

it('no value of a list starts a formula in a file', () => {
  const hostile = fc
    .tuple(fc.constantFrom('=', '+', '-', '@', '\t', '\r'), fc.string())
    .map(([sign, rest]) => sign + rest)
  fc.assert(
    fc.property(hostile, (key) => {
      const { rows } = listTable('utm_term', { clicks: 1, rest: 0, rows: [{ key, clicks: 1 }] })
      const [, line = ''] = toCsv(['head'], rows).split(/(?<=^head)\r\n/)
      expect(line.replace(/^"/, '')).toMatch(/^'/)
    }),
  )
})

it('values with a name show the name', () => {
  expect(valueName('country', { key: 'DE' })).toBe('Germany')
  expect(valueName('country', { key: 'not a country' })).toBe('not a country')
  expect(valueName('language', { key: 'fi' })).toBe('Finnish')
  expect(valueName('device', { key: 'tv' })).toBe('TV')
  expect(valueName('referrer', { key: '' })).toBe('Direct or unknown')
  expect(valueName('target', { key: 'an id' })).toBe('Deleted')
  expect(valueName('device', { key: 'constructor' })).toBe('constructor')
})

it('a change is shown with its sign, and in words', () => {
  const words = (now: number, before: number) => changeWords(now, before, 'May')
  expect(words(118, 100)).toEqual({ short: '+18%', long: '18% more than in May', direction: 'up' })
  expect(words(91, 100)).toEqual({ short: '−9%', long: '9% less than in May', direction: 'down' })
  expect(words(1001, 1000).short).toBe('0%')
  expect(words(5, 0).short).toBe('new')
  expect(words(0, 0)).toMatchObject({ short: '0%', direction: 'same' })
  expect(words(0, 7).short).toBe('−100%')
})

it('the server figures and shares are never wrong by rounding to nothing', () => {
  expect(figure(1234, null)).toBe('1,234')
  expect(figure(1_234_567, 32, true)).toBe('≈1.23M')
  expect(shareWords(1, 1_000)).toBe('<1%')
  expect(shareWords(0, 0)).toBe('0%')
  expect(shareWords(3, 2)).toBe('100%')
})

it('the chart marks the current bucket, and shows the previous period at the same places', () => {
  const bucket = (hour: number, clicks: number) => ({
    key: `2026-11-22T0${hour}:00:00Z`,
    clicks,
    visitors: clicks,
  })
  const points = seriesPoints({
    current: { ...report, rows: [bucket(1, 5), bucket(2, 6), bucket(3, 0)] },
    previous: { ...report, rows: [bucket(1, 4), bucket(2, 3)] },
    arrived: 2,
    now: Date.parse('2026-11-22T02:59:00Z'),
    notes: [
      { id: 'a', day: '2026-11-22', text: 'Newsletter' },
      { id: 'b', day: '2026-11-23', text: 'Later' },
      { id: 'c', day: '2026-11-20', text: 'Earlier' },
    ],
    dayOf: (instant) => instant.slice(0, 10),
    lastDay: '2026-11-22',
  })
  expect(points.map(({ notes }) => notes)).toEqual([['Newsletter'], [], []])
  expect(points.map(({ clicks, before }) => [clicks, before])).toEqual([
    [5, 4],
    [8, 3],
    [0, null],
  ])
})

it('the scale ends at a round number at or above the maximum', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), (count) => {
      const end = roundUp(count)
      expect(end).toBeGreaterThanOrEqual(count)
      expect(Number.isInteger(end / 2)).toBe(true)
      expect(end).toBeLessThanOrEqual(Math.max(2, count * 1.6))
    }),
  )
})
