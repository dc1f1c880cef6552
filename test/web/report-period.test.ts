import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparableEnd, periodOf } from '#web/features/analytics/period/period.ts'
import {
  dateAt,
  instantAt,
  startOfDay,
  startOfHour,
  startOfMonth,
  wallTimeAt,
} from '#web/features/analytics/period/zoned-time.ts'

const hour = 3_600_000
const at = (instant: string) => Date.parse(instant)
const iso = (instant: number) => new Date(instant).toISOString()

/** With daylight saving time at night and at midnight, with half hours, far from UTC, and without any of it. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'UTC',
]
const anyZone = fc.constantFrom(...zones)
const anyInstant = fc.integer({ min: at('2005-01-01T00:00:00Z'), max: at('2035-01-01T00:00:00Z') })

describe('days of a time zone', () => {
  it('start at the first instant of their date', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, fc.integer({ min: -400, max: 400 }), (zone, now, days) => {
        const start = startOfDay(zone, now, days)
        const date = new Date(Date.parse(dateAt(zone, now)) + days * 24 * hour)
        expect(dateAt(zone, start)).toBe(date.toISOString().slice(0, 10))
        expect(dateAt(zone, start - 1) < dateAt(zone, start)).toBe(true)
      }),
    )
  })

  it('start at the wall time of their zone, also on a day without midnight', () => {
    // Clocks went from 0:00 to 1:00.
    expect(iso(startOfDay('Africa/Cairo', at('2026-04-24T10:00:00Z')))).toBe(
      '2026-04-23T22:00:00.000Z',
    )
    expect(wallTimeAt('Africa/Cairo', at('2026-04-23T22:00:00Z')).hour).toBe(1)
    expect(iso(startOfDay('Europe/Berlin', at('2026-03-29T10:00:00Z'), 1))).toBe(
      '2026-03-29T22:00:00.000Z',
    )
  })

  it('have each wall time once: the first of two, the jump for none', () => {
    const berlin = (day: number, month: number, wall: number) =>
      iso(instantAt('Europe/Berlin', { year: 2026, month, day, hour: wall }))
    expect(berlin(25, 10, 2)).toBe('2026-10-25T00:00:00.000Z')
    expect(berlin(29, 3, 2)).toBe('2026-03-29T01:00:00.000Z')
  })

  it('have months and hours that start where clocks say so', () => {
    fc.assert(
      fc.property(anyZone, anyInstant, fc.integer({ min: -30, max: 30 }), (zone, now, months) => {
        const month = wallTimeAt(zone, startOfMonth(zone, now, months))
        expect(month.day).toBe(1)
        const started = startOfHour(zone, now)
        expect(now - started).toBeGreaterThanOrEqual(0)
        expect(now - started).toBeLessThan(hour)
        expect(wallTimeAt(zone, started).hour).toBe(wallTimeAt(zone, now).hour)
      }),
    )
  })
})

describe('a period', () => {
  const facts = { zone: 'Europe/Berlin', now: at('2026-11-22T21:30:00Z'), keptSince: null }

  it('of days ends with today, and is compared with as many days before', () => {
    const { from, to, bucket, previous } = periodOf('30d', facts)
    expect([iso(from), iso(to), bucket]).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-11-22T23:00:00.000Z',
      'day',
    ])
    expect(previous && iso(previous.from)).toBe('2026-09-23T22:00:00.000Z')
    expect(previous?.to).toBe(from)
  })

  it('of a day is 24 whole hours, of a year twelve months', () => {
    const day = periodOf('24h', facts)
    expect([iso(day.from), iso(day.to), day.bucket]).toEqual([
      '2026-11-21T22:00:00.000Z',
      '2026-11-22T22:00:00.000Z',
      'hour',
    ])
    const year = periodOf('12m', facts)
    expect([iso(year.from), iso(year.to), year.bucket]).toEqual([
      '2025-11-30T23:00:00.000Z',
      '2026-11-30T23:00:00.000Z',
      'month',
    ])
    expect(year.previous && iso(year.previous.from)).toBe('2024-11-30T23:00:00.000Z')
  })

  it('has hours up to two days, days up to a hundred, and months above', () => {
    const bucketOf = (to: string) => periodOf({ from: '2026-03-28', to }, facts).bucket
    expect(bucketOf('2026-03-28')).toBe('hour')
    // 47 hours.
    expect(bucketOf('2026-03-29')).toBe('hour')
    expect(bucketOf('2026-03-30')).toBe('day')
    expect(bucketOf('2026-07-05')).toBe('day')
    expect(bucketOf('2026-07-06')).toBe('month')
  })

  it('of all time starts with the first hit and has nothing before it', () => {
    const keptSince = at('2026-11-15T00:00:00Z')
    const all = periodOf('all', { ...facts, keptSince })
    expect([iso(all.from), all.bucket, all.previous]).toEqual([
      '2026-11-14T23:00:00.000Z',
      'day',
      null,
    ])
    expect(periodOf('all', { ...facts, keptSince: at('2024-01-01T00:00:00Z') }).bucket).toBe(
      'month',
    )
    expect(periodOf('all', facts).to).toBe(all.to)
  })

  it('of chosen days holds both, over the change of clocks too', () => {
    const { from, to, previous } = periodOf({ from: '2026-10-25', to: '2026-10-25' }, facts)
    expect(to - from).toBe(25 * hour)
    expect(previous && previous.to - previous.from).toBe(24 * hour)
  })

  it('and the one before it never overlap, and both start with a day', () => {
    const anyDay = anyInstant.map((instant) => iso(instant).slice(0, 10))
    fc.assert(
      fc.property(anyZone, anyDay, fc.integer({ min: 0, max: 800 }), (zone, from, days) => {
        const to = iso(Date.parse(from) + days * 24 * hour).slice(0, 10)
        const period = periodOf({ from, to }, { ...facts, zone })
        expect(dateAt(zone, period.from)).toBe(from)
        expect(dateAt(zone, period.to - 1)).toBe(to)
        expect(period.previous?.to).toBe(period.from)
        const before = iso(Date.parse(from) - (days + 1) * 24 * hour).slice(0, 10)
        expect(dateAt(zone, period.previous?.from ?? 0)).toBe(before)
      }),
    )
  })

  it('that is running is compared with the same part of the previous one', () => {
    const period = periodOf('7d', facts)
    const end = comparableEnd(period, facts.now)
    expect(end - (period.previous?.from ?? 0)).toBe(facts.now - period.from)
    const over = periodOf({ from: '2026-10-01', to: '2026-10-07' }, facts)
    expect(comparableEnd(over, facts.now)).toBe(over.previous?.to)
  })
})

describe('periods of the calendar', () => {
  const zone = 'Europe/Berlin'
  const facts = { zone, now: at('2026-03-30T10:00:00Z'), keptSince: null }
  const datesOf = ({ from, to }: { from: number; to: number }) => [
    dateAt(zone, from),
    dateAt(zone, to - 1),
  ]

  it.each([
    ['yesterday', 'hour', ['2026-03-29', '2026-03-29'], ['2026-03-28', '2026-03-28']],
    // February has fewer days.
    ['month', 'day', ['2026-03-01', '2026-03-30'], ['2026-02-01', '2026-02-28']],
    ['last-month', 'day', ['2026-02-01', '2026-02-28'], ['2026-01-01', '2026-01-31']],
    ['year', 'month', ['2026-01-01', '2026-03-31'], ['2025-01-01', '2025-03-31']],
  ] as const)('%s has its days and those before it', (preset, bucket, days, before) => {
    const period = periodOf(preset, facts)
    expect(period.bucket).toBe(bucket)
    expect(datesOf(period)).toEqual(days)
    expect(period.previous && datesOf(period.previous)).toEqual(before)
  })

  it('are compared with the same days a year before', () => {
    const period = periodOf('7d', { ...facts, compare: 'year' })
    expect(period.previous && datesOf(period.previous)).toEqual(['2025-03-24', '2025-03-30'])
    expect(periodOf('all', { ...facts, compare: 'year' }).previous).toBeNull()
  })
})
