import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** While the event loop is busier than this, counting pauses after each batch, so that visitors come first. */
const busyUtilization = 0.4
/** The pause after a batch is this multiple of its duration, up to maxPauseMs. */
const pauseFactor = 2
const maxPauseMs = 1_000

interface VisitorsFirstOptions {
  /** Starts to measure how busy the event loop is that answers visitors; the result ends it, 0 to 1. */
  measureLoad?: (() => () => number) | undefined
  /** So much waits that there is no more time for pauses. */
  isUrgent: () => boolean
}

/**
 * PostgreSQL and this process often share the cores, and counting is less urgent than responding.
 *
 * @returns call it before a batch, and its result after the batch for a pause
 */
export function createBatchPauses({
  measureLoad = measureOwnLoad,
  isUrgent,
}: VisitorsFirstOptions): () => () => Promise<void> {
  return () => {
    const loadSince = measureLoad()
    const startedAt = performance.now()
    return async () => {
      if (loadSince() < busyUtilization || isUrgent()) return
      await sleep(Math.min(maxPauseMs, (performance.now() - startedAt) * pauseFactor))
    }
  }
}

function measureOwnLoad(): () => number {
  const before = performance.eventLoopUtilization()
  return () => performance.eventLoopUtilization(before).utilization
}
