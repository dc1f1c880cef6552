import { useEffect, useState } from 'react'
import { type ClickHit, type ClickReport, openLiveStream } from '#web/clicks/report.ts'
import type { HitCounts } from '../figures.ts'
import type { OpenReport } from '../use-report.ts'
import { createLiveReader, type LiveStatus } from './live-reader.ts'
import { combineCounts, readLiveHits } from './live-hits.ts'
import { useArrived } from './use-arrived.ts'

export interface Live {
  status: LiveStatus | 'paused'
  toggle: () => void
  /** Hits that the totals do not have yet, of those that the report is narrowed to; undefined while it is asked. */
  arrived: HitCounts | undefined
  /** Hits that came since the page was opened, newest first. */
  hits: readonly ClickHit[]
}

const maxHits = 30
const hiddenMs = 60_000

/** Follows the hits while the page is looked at. @param totals the last answer, if it is one to this report */
export function useLive(report: OpenReport, totals: ClickReport | undefined): Live {
  const { about } = report
  const [status, setStatus] = useState<LiveStatus>('connecting')
  const [isPaused, setPaused] = useState(false)
  const [hits, setHits] = useState<readonly ClickHit[]>([])
  const { arrived, take, catchUp } = useArrived(report, totals)

  useEffect(() => {
    if (isPaused) return undefined
    let received: HitCounts = {}
    let wasLive = false
    const reader = createLiveReader({
      open: (signal) => {
        received = {}
        return openLiveStream(about, signal)
      },
      onEvent: (event) => {
        const news = readLiveHits(event)
        if (news === undefined) return
        take(combineCounts(news.received, received, more), news.hits)
        received = news.received
        setHits((before) => mergeHits(news.hits, before))
      },
      onStatus: (next) => {
        // What came while there was no connection.
        if (next === 'live' && wasLive) catchUp()
        wasLive ||= next === 'live'
        setStatus(next)
      },
    })
    reader.start()
    const stopWatching = watchPage(reader)
    return () => {
      stopWatching()
      reader.stop()
    }
  }, [about, isPaused, take, catchUp])

  return {
    status: isPaused ? 'paused' : status,
    toggle: () => setPaused(!isPaused),
    arrived,
    hits,
  }
}

function more(now: number, before: number): number {
  return Math.max(0, now - before)
}

function watchPage(reader: { start: () => void; stop: () => void; wake: () => void }): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const onVisibility = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(reader.stop, hiddenMs)
    else reader.wake()
  }
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('online', reader.wake)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('online', reader.wake)
  }
}

function mergeHits(news: readonly ClickHit[], before: readonly ClickHit[]): readonly ClickHit[] {
  const known = new Set(before.map(({ cursor }) => cursor))
  return [...news.filter(({ cursor }) => !known.has(cursor)), ...before].slice(0, maxHits)
}
