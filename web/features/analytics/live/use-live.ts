import { useEffect, useRef, useState } from 'react'
import { followHits } from '#web/clicks/live/follow-hits.ts'
import type { HitCounts } from '#web/clicks/live/hit-counts.ts'
import type { LiveStatus } from '#web/clicks/live/live-reader.ts'
import type { ClickHit, ClickReport } from '#domain/reports/report-answers.ts'
import type { OpenReport } from '../use-report.ts'
import { useArrived } from './use-arrived.ts'

export interface Live {
  /** `none`: its hits have no stream, as those of a tag or domain. */
  status: LiveStatus | 'paused' | 'none'
  toggle: () => void
  /** Hits that the totals do not have yet, of those that the report is narrowed to; undefined while it is asked. */
  arrived: HitCounts | undefined
  /** Hits that came since the page was opened, newest first. */
  hits: readonly ClickHit[]
}

const maxHits = 30

/**
 * Follows the hits while the page is looked at.
 *
 * @param totals the last answer, if it is one to this report
 * @param onNews called whenever hits came or may have come, for parts outside of the report
 */
export function useLive(
  report: OpenReport,
  totals: ClickReport | undefined,
  onNews?: () => void,
): Live {
  const { about, selection } = report
  const hasStream = about.scope !== 'tag' && selection.filters.domain === undefined
  const [status, setStatus] = useState<LiveStatus>('connecting')
  const [isPaused, setPaused] = useState(false)
  const [hits, setHits] = useState<readonly ClickHit[]>([])
  const { arrived, take, catchUp } = useArrived(report, totals)
  const notify = useRef(onNews)
  useEffect(() => {
    notify.current = onNews
  }, [onNews])

  useEffect(() => {
    if (isPaused || !hasStream) return undefined
    let wasLive = false
    return followHits({
      about,
      onHits: (came, news) => {
        take(came, news)
        setHits((before) => mergeHits(news, before))
        notify.current?.()
      },
      onStatus: (next) => {
        if (next === 'live') {
          // Hits that came while there was no connection.
          if (wasLive) catchUp()
          notify.current?.()
        }
        wasLive ||= next === 'live'
        setStatus(next)
      },
    })
  }, [about, hasStream, isPaused, take, catchUp])

  return {
    status: hasStream ? (isPaused ? 'paused' : status) : 'none',
    toggle: () => setPaused(!isPaused),
    arrived,
    hits,
  }
}

function mergeHits(news: readonly ClickHit[], before: readonly ClickHit[]): readonly ClickHit[] {
  const known = new Set(before.map(({ cursor }) => cursor))
  return [...news.filter(({ cursor }) => !known.has(cursor)), ...before].slice(0, maxHits)
}
