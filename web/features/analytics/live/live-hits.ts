import { type ClickDimension, clickDimensions, reportVerdicts } from '#domain/reports/hits.ts'
import { combineCounts, type HitCounts } from '#web/clicks/live/hit-counts.ts'
import type { ClickHit, ClickReport } from '#domain/reports/report-answers.ts'
import type { ClickFilters } from '#web/clicks/report.ts'
import type { OpenReport } from '../use-report.ts'

/**
 * The hits of an event that the report counts. Narrowed to some of them, only those that were sent one by one can be told
 * apart; the rest is in the next answer.
 */
export function arrivedCounts(
  { isRunning, selection: { filters } }: OpenReport,
  received: HitCounts,
  hits: readonly ClickHit[],
): HitCounts {
  if (!isRunning) return {}
  if (Object.keys(filters).length === 0) return received
  const counts: HitCounts = {}
  for (const hit of hits)
    if (matchesFilters(hit, filters)) counts[hit.verdict] = (counts[hit.verdict] ?? 0) + 1
  return counts
}

/** Whether a hit is one of those that filters leave. */
export function matchesFilters(hit: ClickHit, filters: ClickFilters): boolean {
  return clickDimensions.every((dimension) => {
    const wanted = filters[dimension]
    return wanted === undefined || wanted.includes(valueOf(hit, dimension))
  })
}

function valueOf(hit: ClickHit, dimension: ClickDimension): string {
  if (dimension.startsWith('utm_')) return hit.utm[dimension.slice('utm_'.length)] ?? ''
  return hit[dimension as Exclude<ClickDimension, `utm_${string}`>]
}

/** Counts of a stream for a report. */
export interface StreamCounts {
  /** Hits that came since the report was asked for. */
  came: HitCounts
  /** How many there were before them, at least; undefined until that is known. */
  before: HitCounts | undefined
}

/** Counts once the stream has sent every hit that the answer has: by then also of some that it has not. */
export function leastBefore({ came, before }: StreamCounts, totals: ClickReport): HitCounts {
  const least = combineCounts(countsOf(totals), came, (all, later) => all - later)
  return before === undefined ? least : combineCounts(before, least, Math.max)
}

/** How many hits there are besides those that the answer has, at least. */
export function aheadOf({ came, before }: StreamCounts, totals: ClickReport): HitCounts {
  if (before === undefined) return {}
  const all = combineCounts(before, came, (a, b) => a + b)
  return combineCounts(all, countsOf(totals), (a, b) => Math.max(0, a - b))
}

function countsOf({ rows }: ClickReport): HitCounts {
  const counts = new Map(rows.map(({ key, clicks }) => [key, clicks]))
  return Object.fromEntries(reportVerdicts.map((verdict) => [verdict, counts.get(verdict) ?? 0]))
}
