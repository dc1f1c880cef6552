import type { ClickReport } from '#domain/reports/report-answers.ts'

/** One bar of the chart. */
export interface SeriesPoint {
  /** ISO instant. */
  start: string
  clicks: number
  visitors: number
  /** In the same place of the previous period; null without one. */
  before: number | null
  /** Texts of the notes on its days. */
  notes: readonly string[]
}

export interface DayNote {
  id: string
  /** `2026-01-31`, in the zone of the report. */
  day: string
  text: string
}

interface SeriesParts {
  current: ClickReport
  previous: ClickReport | undefined
  /** Hits that came after the report was read. */
  arrived: number
  /** The bucket that they belong to has started by then. */
  now: number
  notes: readonly DayNote[]
  dayOf: (instant: string) => string
  /** The last day of the period. */
  lastDay: string
}

/** The buckets in their order. An hour that clocks skip or repeat may leave the last one without a counterpart. */
export function seriesPoints(parts: SeriesParts): SeriesPoint[] {
  const { current, previous, arrived, now } = parts
  const notes = notesByRow(parts)
  const running = current.rows.findLastIndex(({ key }) => Date.parse(key) <= now)
  return current.rows.map(({ key, clicks, visitors = 0 }, index) => ({
    start: key,
    clicks: index === running ? clicks + arrived : clicks,
    visitors,
    before: previous === undefined ? null : (previous.rows[index]?.clicks ?? null),
    notes: notes.get(index) ?? [],
  }))
}

/** A month has the notes of all its days; of the hours of a day the first one has them. */
function notesByRow({ current, notes, dayOf, lastDay }: SeriesParts): Map<number, string[]> {
  const found = new Map<number, string[]>()
  if (notes.length === 0) return found
  const days = current.rows.map(({ key }) => dayOf(key))
  for (const { day, text } of notes) {
    const start = day > lastDay ? undefined : days.findLast((each) => each <= day)
    if (start === undefined) continue
    const index = days.indexOf(start)
    found.set(index, [...(found.get(index) ?? []), text])
  }
  return found
}

/** The notes on the days of the month of `day`, in their order. */
export function notesOfMonth(notes: readonly DayNote[], day: string): DayNote[] {
  return notes
    .filter((note) => note.day.slice(0, 7) === day.slice(0, 7))
    .toSorted((a, b) => a.day.localeCompare(b.day))
}
