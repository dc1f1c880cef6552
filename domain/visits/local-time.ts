import { weekdays, type Weekday } from './rule-values.ts'

/** Wall clock of a time zone. */
export interface LocalTime {
  readonly weekday: Weekday
  /** Minutes since midnight. */
  readonly minute: number
}

interface Clock {
  readonly format: Intl.DateTimeFormat
  /** Milliseconds since 1970, in whole minutes: the minute of `last`. */
  minute: number
  last: LocalTime | undefined
}

/** A formatter takes about 30 KB; rules of one server name few zones. */
const maxClocks = 100
const clocks = new Map<string, Clock | undefined>()

/** @returns undefined for a time zone that this runtime does not know */
export function localTime(now: number, zone: string): LocalTime | undefined {
  const clock = clockOf(zone)
  if (!clock) return undefined
  const minute = Math.floor(now / 60_000)
  if (clock.last === undefined || clock.minute !== minute) {
    clock.last = read(clock.format, now)
    clock.minute = minute
  }
  return clock.last
}

function clockOf(zone: string): Clock | undefined {
  if (clocks.has(zone)) return clocks.get(zone)
  const [oldest] = clocks.keys()
  if (clocks.size >= maxClocks && oldest !== undefined) clocks.delete(oldest)
  const clock = createClock(zone)
  clocks.set(zone, clock)
  return clock
}

function createClock(timeZone: string): Clock | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    return { format, minute: 0, last: undefined }
  } catch {
    return undefined
  }
}

function read(format: Intl.DateTimeFormat, now: number): LocalTime | undefined {
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
  const name = parts.get('weekday')?.toLowerCase() ?? ''
  const weekday = Object.keys(weekdays).find((day): day is Weekday => day === name)
  const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'))
  return weekday && { weekday, minute }
}
