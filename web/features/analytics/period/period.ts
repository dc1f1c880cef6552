import type { TimeBucket } from '#web/clicks/report.ts'
import type { RangePreset } from '../report-view.ts'
import {
  instantAt,
  startOfDate,
  startOfDay,
  startOfHour,
  startOfMonth,
  wallTimeAt,
} from './zoned-time.ts'

/** The time that a report is about. Instants are milliseconds since 1970; ends are not included. */
export interface Period {
  from: number
  /** The end of the running hour, day or month: nothing has been clicked after now. */
  to: number
  bucket: TimeBucket
  /** As many hours, days or months before it, or the same ones a year before; null when there can be none. */
  previous: { from: number; to: number } | null
}

export type RangeChoice = RangePreset | { from: string; to: string }

const dayMs = 86_400_000
const maxDaysByHour = 2
const maxDaysByDay = 100
const presetDays = { '7d': 7, '30d': 30, '90d': 90 }
const monthsInYear = 12

interface PeriodFacts {
  zone: string
  now: number
  /** The first hit that is kept, for the range of all; null when there is none. */
  keptSince: number | null
  compare?: 'year' | undefined
}

export function periodOf(range: RangeChoice, facts: PeriodFacts): Period {
  const period = plainPeriodOf(range, facts)
  if (facts.compare !== 'year' || period.previous === null) return period
  const before = (instant: number) => yearBefore(facts.zone, instant)
  return { ...period, previous: { from: before(period.from), to: before(period.to) } }
}

function yearBefore(zone: string, instant: number): number {
  const wall = wallTimeAt(zone, instant)
  return instantAt(zone, { ...wall, year: wall.year - 1 })
}

function plainPeriodOf(range: RangeChoice, { zone, now, keptSince }: PeriodFacts): Period {
  const day = (days: number) => startOfDay(zone, now, days)
  const month = (months: number) => startOfMonth(zone, now, months)
  if (typeof range === 'object') return customPeriod(range, zone)
  switch (range) {
    case '24h':
      return lastDay(zone, now)
    case '12m':
      return lastYear(zone, now)
    case 'yesterday':
      return { from: day(-1), to: day(0), bucket: 'hour', previous: { from: day(-2), to: day(-1) } }
    case 'month':
      return thisMonth(zone, now)
    case 'last-month':
      return {
        from: month(-1),
        to: month(0),
        bucket: 'day',
        previous: { from: month(-2), to: month(-1) },
      }
    case 'year':
      return thisYear(zone, now)
    case 'all':
      return { ...daysUntilToday(zone, now, daysSince(zone, keptSince, now)), previous: null }
    case '7d':
    case '30d':
    case '90d':
      return daysUntilToday(zone, now, presetDays[range])
  }
}

function lastDay(zone: string, now: number): Period {
  const to = startOfHour(zone, now) + dayMs / 24
  const from = to - dayMs
  return { from, to, bucket: 'hour', previous: { from: from - dayMs, to: from } }
}

function lastYear(zone: string, now: number): Period {
  const month = (months: number) => startOfMonth(zone, now, months)
  const from = month(1 - monthsInYear)
  return {
    from,
    to: month(1),
    bucket: 'month',
    previous: { from: month(1 - 2 * monthsInYear), to: from },
  }
}

/** The days until today, and as many of the month before. */
function thisMonth(zone: string, now: number): Period {
  const from = startOfMonth(zone, now)
  const before = startOfMonth(zone, now, -1)
  const { day } = wallTimeAt(zone, now)
  return {
    from,
    to: startOfDay(zone, now, 1),
    bucket: 'day',
    previous: { from: before, to: Math.min(from, startOfDay(zone, before, day)) },
  }
}

/** The months until this one, and the same ones of the year before. */
function thisYear(zone: string, now: number): Period {
  const { month } = wallTimeAt(zone, now)
  const at = (months: number) => startOfMonth(zone, now, months)
  return {
    from: at(1 - month),
    to: at(1),
    bucket: 'month',
    previous: { from: at(1 - month - monthsInYear), to: at(1 - monthsInYear) },
  }
}

function daysUntilToday(zone: string, now: number, days: number): Period {
  return wholeDays(zone, startOfDay(zone, now, 1 - days), days)
}

function customPeriod({ from, to }: { from: string; to: string }, zone: string): Period {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  return wholeDays(zone, startOfDate(zone, from), days)
}

function wholeDays(zone: string, from: number, days: number): Period {
  return {
    from,
    to: startOfDay(zone, from, days),
    bucket: days <= maxDaysByHour ? 'hour' : days <= maxDaysByDay ? 'day' : 'month',
    previous: { from: startOfDay(zone, from, -days), to: from },
  }
}

/** Days from the first hit to today, both included. Without a hit: a month. */
function daysSince(zone: string, first: number | null, now: number): number {
  if (first === null || first > now) return 30
  return Math.max(1, Math.round((startOfDay(zone, now) - startOfDay(zone, first)) / dayMs) + 1)
}

/** The part of the time before that has its like in this one: a running day is not compared with a whole one. */
export function comparableEnd({ from, to, previous }: Period, now: number): number {
  if (previous === null) return from
  return now >= to ? previous.to : Math.min(previous.to, previous.from + Math.max(0, now - from))
}
