import type { ClickReport } from '#web/clicks/report.ts'

/** One bar of the chart. */
export interface SeriesPoint {
  /** ISO instant. */
  start: string
  clicks: number
  visitors: number
  /** In the same place of the time before; null when there is none. */
  before: number | null
}

interface SeriesParts {
  current: ClickReport
  previous: ClickReport | undefined
  /** Hits that came after the report was read. */
  arrived: number
  /** The bucket that they belong to has started by then. */
  now: number
}

/** The buckets in their order. An hour that clocks skip or repeat may leave the last one without a counterpart. */
export function seriesPoints({ current, previous, arrived, now }: SeriesParts): SeriesPoint[] {
  const running = current.rows.findLastIndex(({ key }) => Date.parse(key) <= now)
  return current.rows.map(({ key, clicks, visitors = 0 }, index) => ({
    start: key,
    clicks: index === running ? clicks + arrived : clicks,
    visitors,
    before: previous === undefined ? null : (previous.rows[index]?.clicks ?? null),
  }))
}
