// Calendar days and hours of a time zone, from the browser's time zones. Instants are milliseconds since 1970.

export interface WallTime {
  year: number
  /** From 1. */
  month: number
  day: number
  hour: number
}

const hourMs = 3_600_000
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(zone, format)
  return format
}

export function isTimeZone(zone: string): boolean {
  try {
    return formatOf(zone) !== undefined
  } catch {
    return false
  }
}

/** Local time there, as if it were UTC. */
function shownAt(zone: string, instant: number): number {
  const parts: Partial<Record<string, number>> = {}
  for (const { type, value } of formatOf(zone).formatToParts(instant)) parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

export function wallTimeAt(zone: string, instant: number): WallTime {
  const shown = new Date(shownAt(zone, instant))
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
  }
}

/**
 * The first instant at which clocks there show this time. One that is skipped, when clocks go forward, is the instant of the
 * jump; months and days may be out of their bounds, as for Date.UTC.
 */
export function instantAt(zone: string, { year, month, day, hour }: WallTime): number {
  const wanted = Date.UTC(year, month - 1, day, hour)
  const before = wanted - offsetAt(zone, wanted - 24 * hourMs)
  const after = wanted - offsetAt(zone, wanted + 24 * hourMs)
  const shows = (instant: number) => shownAt(zone, instant) === wanted
  const [first, second] = before < after ? [before, after] : [after, before]
  return shows(first) ? first : shows(second) ? second : before
}

function offsetAt(zone: string, instant: number): number {
  return shownAt(zone, instant) - instant
}

/** The start of the day that is this number of days after the instant's day. */
export function startOfDay(zone: string, instant: number, days = 0): number {
  const wall = wallTimeAt(zone, instant)
  return instantAt(zone, { ...wall, day: wall.day + days, hour: 0 })
}

export function startOfMonth(zone: string, instant: number, months = 0): number {
  const wall = wallTimeAt(zone, instant)
  return instantAt(zone, { ...wall, month: wall.month + months, day: 1, hour: 0 })
}

/** The start of the hour on the clocks there. */
export function startOfHour(zone: string, instant: number): number {
  const shown = shownAt(zone, instant)
  return Math.floor(instant / 1000) * 1000 - (shown - Math.floor(shown / hourMs) * hourMs)
}

/** The day of a calendar date, YYYY-MM-DD. */
export function startOfDate(zone: string, date: string): number {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number)
  return instantAt(zone, { year, month, day, hour: 0 })
}

/** The calendar date there, YYYY-MM-DD. */
export function dateAt(zone: string, instant: number): string {
  return new Date(shownAt(zone, instant)).toISOString().slice(0, 10)
}
