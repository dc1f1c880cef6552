import type { TimeBucket } from '#web/clicks/report.ts'
import type { RangePreset } from '../report-view.ts'
import type { Period } from './period.ts'

export const rangeNames: Readonly<Record<RangePreset, string>> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '12m': 'Last 12 months',
  yesterday: 'Yesterday',
  month: 'This month',
  'last-month': 'Last month',
  year: 'This year',
  all: 'All time',
}

type Shape = 'axis' | 'full' | 'span'

const shapes: Record<Shape, Record<TimeBucket, Intl.DateTimeFormatOptions>> = {
  axis: {
    hour: { hour: 'numeric', minute: '2-digit' },
    day: { day: 'numeric', month: 'short' },
    month: { month: 'short', year: '2-digit' },
  },
  full: {
    hour: { weekday: 'short', day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
    day: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    month: { month: 'long', year: 'numeric' },
  },
  span: {
    hour: { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' },
    day: { day: 'numeric', month: 'short', year: 'numeric' },
    month: { day: 'numeric', month: 'short', year: 'numeric' },
  },
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(options: Intl.DateTimeFormatOptions, timeZone: string): Intl.DateTimeFormat {
  const key = JSON.stringify([options, timeZone])
  const known = formats.get(key)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat(undefined, { ...options, timeZone })
  formats.set(key, format)
  return format
}

/** A bucket below the chart, as short as it can be. */
export function axisWords(start: string, bucket: TimeBucket, zone: string): string {
  return formatOf(shapes.axis[bucket], zone).format(new Date(start))
}

export function bucketWords(start: string, bucket: TimeBucket, zone: string): string {
  return formatOf(shapes.full[bucket], zone).format(new Date(start))
}

/** From and to, with shared parts once; ends are not included. */
export function spanWords(
  { from, to }: { from: number; to: number },
  { bucket }: Pick<Period, 'bucket'>,
  zone: string,
): string {
  return formatOf(shapes.span[bucket], zone).formatRange(from, to - 1)
}

/** To the second. */
export function momentWords(instant: string, zone: string): string {
  return formatOf({ dateStyle: 'medium', timeStyle: 'medium' }, zone).format(new Date(instant))
}

/** A day of the calendar, YYYY-MM-DD or the start of an instant. */
export function dayWords(date: string): string {
  return formatOf({ dateStyle: 'medium' }, 'UTC').format(new Date(date.slice(0, 10)))
}
