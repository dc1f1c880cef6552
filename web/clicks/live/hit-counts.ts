import type { EventSourceMessage } from 'eventsource-parser'
import { type HitVerdict, reportVerdicts } from '#domain/reports/hits.ts'
import type { LiveHits } from '../report.ts'

/** How many hits of each verdict. */
export type HitCounts = Partial<Record<HitVerdict, number>>

export function combineCounts(
  a: HitCounts,
  b: HitCounts,
  each: (x: number, y: number) => number,
): HitCounts {
  const pairs = reportVerdicts.map((verdict) => [verdict, each(a[verdict] ?? 0, b[verdict] ?? 0)])
  return Object.fromEntries(pairs) as HitCounts
}

/** Counts of a `hits` event; undefined for other and unreadable events. */
export function readLiveHits({ event, data }: EventSourceMessage): LiveHits | undefined {
  if (event !== 'hits') return undefined
  try {
    const { hits, received } = JSON.parse(data) as Partial<LiveHits>
    return { hits: Array.isArray(hits) ? hits : [], received: Object(received) as HitCounts }
  } catch {
    return undefined
  }
}
