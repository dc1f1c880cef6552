import type { ClickHit } from '#domain/reports/report-answers.ts'
import { openLiveStream, type ReportScope } from '../report.ts'
import { combineCounts, type HitCounts, readLiveHits } from './hit-counts.ts'
import { createLiveReader, type LiveReader, type LiveStatus } from './live-reader.ts'

interface Following {
  about: ReportScope
  /** How many hits came since the last call, by verdict, and the newest of them. */
  onHits: (came: HitCounts, hits: readonly ClickHit[]) => void
  onStatus: (status: LiveStatus) => void
}

const hiddenMs = 60_000

/** Follows the hits while the page is looked at. @returns how to stop */
export function followHits({ about, onHits, onStatus }: Following): () => void {
  let received: HitCounts = {}
  const reader = createLiveReader({
    open: (signal) => {
      received = {}
      return openLiveStream(about, signal)
    },
    onEvent: (event) => {
      const news = readLiveHits(event)
      if (news === undefined) return
      const came = combineCounts(news.received, received, more)
      received = news.received
      onHits(came, news.hits)
    },
    onStatus,
  })
  reader.start()
  const stopWatching = watchPage(reader)
  return () => {
    stopWatching()
    reader.stop()
  }
}

function more(now: number, before: number): number {
  return Math.max(0, now - before)
}

function watchPage(reader: LiveReader): () => void {
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
