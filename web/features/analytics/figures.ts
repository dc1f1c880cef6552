import { reportVerdicts, type HitVerdict } from '#domain/reports/hits.ts'
import type { HitCounts } from '#web/clicks/live/hit-counts.ts'
import type { ClickReport, CountedKind } from '#domain/reports/report-answers.ts'
import { kindOf } from './view-parts.ts'

/** The totals of a report, and the parts that they are the sums of. */
export interface Figures {
  clicks: number
  visitors: number
  /** Clicks after the first of each visitor of a day, also on other links. */
  returning: number
  filtered: number
  parts: HitCounts
}

/** @param arrived hits that the totals do not have yet */
export function figuresOf(
  totals: ClickReport,
  include: readonly CountedKind[],
  arrived: HitCounts = {},
): Figures {
  const parts: HitCounts = {}
  for (const verdict of reportVerdicts) {
    const counted = totals.rows.find(({ key }) => key === verdict)?.clicks ?? 0
    const count = counted + (arrived[verdict] ?? 0)
    if (count > 0) parts[verdict] = count
  }
  const filtered = sumOf(parts, (verdict) => !isIncluded(verdict, include))
  return {
    clicks: totals.clicks + sumOf(arrived, (verdict) => isIncluded(verdict, include)),
    visitors: totals.visitors ?? 0,
    returning: totals.returning ?? 0,
    filtered,
    parts,
  }
}

export function isIncluded(verdict: HitVerdict, include: readonly CountedKind[]): boolean {
  const kind = kindOf(verdict)
  return kind === undefined || include.includes(kind)
}

export function sumOf(counts: HitCounts, matches: (verdict: HitVerdict) => boolean): number {
  return reportVerdicts.reduce(
    (sum, verdict) => sum + (matches(verdict) ? (counts[verdict] ?? 0) : 0),
    0,
  )
}
