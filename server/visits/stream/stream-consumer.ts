import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HitStore } from '../../analytics/store/store.ts'
import type { Logger } from '../../log.ts'
import { ifError } from '../../primitives/caught-error.ts'
import { applyIntervalMs, startApplyLoop } from '../counting/apply-loop.ts'
import { createNewerRecords, NewerRecordsError } from '../record/newer-records.ts'
import type { RunAsVisits } from '../counting/segment-applier.ts'
import { createBatchPauses } from '../counting/visitors-first.ts'
import { createBatchApplier, MarkMovedError } from './batch-applier.ts'
import { createReadAhead } from './read-ahead.ts'
import type { StreamConnection } from './stream-connection.ts'
import {
  leaseSeconds,
  leaseStream,
  readStreamPosition,
  releaseStream,
  type StreamPosition,
} from './stream-marks.ts'
import type { StreamMessage } from './stream-message.ts'
import { readState } from './stream-reader.ts'

interface StreamConsumerDeps {
  connection: StreamConnection
  stream: string
  asVisits: RunAsVisits
  hits: HitStore
  log: Logger
  measureLoad?: (() => () => number) | undefined
}

const renewMs = (leaseSeconds * 1000) / 3
/** At a record of a later version, a server that reads it has so long to take the lease. */
const stopMs = 10_000
/** About 20 s of visits at full load: beyond it there are no pauses. */
const urgentMessages = 10_000

/**
 * Applies the click stream to the database. Of all processes that run this for one database, the one with the lease
 * does it; if two do for a moment, the marks let only one of them count a message.
 */
export function startStreamConsumer(deps: StreamConsumerDeps) {
  const { connection, stream, asVisits, hits, log, measureLoad } = deps
  const applier = createBatchApplier({ stream, asVisits, hits, log })
  const readAhead = createReadAhead({ stream, asVisits, log })
  const reader = randomUUID()
  let position: StreamPosition | undefined
  let leasedAt = -Infinity
  /** Read, and not applied yet. */
  let ahead: StreamMessage[] = []
  let waiting = 0
  let hasTimedOut = false
  const newer = createNewerRecords(log)
  let stoppedUntil = -Infinity
  const isStopped = () => performance.now() < stoppedUntil
  const startPause = createBatchPauses({
    measureLoad,
    isUrgent: () => loop.isClosed() || waiting > urgentMessages,
  })

  const forget = () => {
    position = undefined
    ahead = []
    applier.forget()
  }
  const release = () => asVisits((db) => releaseStream(db, stream, reader)).catch(() => {})
  const holdLease = async (): Promise<boolean> => {
    if (isStopped()) return false
    if (position && performance.now() - leasedAt < renewMs) return true
    const now = performance.now()
    const mark = await asVisits((db) => leaseStream(db, stream, reader))
    if (!mark) {
      if (position) log.info('another process reads the click stream now')
      forget()
      return false
    }
    if (!position) hits.recordTakeover()
    leasedAt = now
    position ??= mark
    return true
  }
  const applyRest = async (): Promise<void> => {
    const usable = connection.current()
    if (!usable) return
    while (await holdLease()) {
      const at = position
      if (!at) return
      if (ahead.length === 0) {
        ;({ position, messages: ahead, waiting } = await readAhead(usable, at))
        if (ahead.length === 0 && position === at) return
        continue
      }
      const pause = startPause()
      position = await applier.applyNext(ahead, at)
      const { seq } = position
      ahead = ahead.filter((message) => message.seq > seq)
      waiting = Math.max(0, waiting - (seq - at.seq))
      await pause()
    }
  }
  const loop = startApplyLoop({
    log,
    source: 'the click stream',
    isSourceUp: () => connection.current() !== undefined,
    apply: () =>
      applyRest()
        .catch((error: unknown) => {
          forget()
          throw error
        })
        .catch(ifError(MarkMovedError, hits.recordReplay))
        .catch(
          ifError(NewerRecordsError, ({ record }) => {
            newer.stopAt(stream, record)
            stoppedUntil = performance.now() + stopMs
            return release()
          }),
        ),
  })

  return {
    status: applier.totals,
    /** The mark, while this process has the lease. */
    position: () => position,
    /** Applies messages of the stream for at most `timeoutMs`; the rest is for another process, or the next start. */
    async close(timeoutMs: number): Promise<void> {
      const drained = (async () => {
        await loop.stop()
        // While another process has the lease, it applies; if that one has died, its lease ends soon.
        const isLeft = async () => !hasTimedOut && !isStopped() && (await isBehind(deps))
        for (await loop.applyOnce(); await isLeft(); await loop.applyOnce())
          await sleep(applyIntervalMs)
        await release()
      })()
      await Promise.race([drained, sleep(timeoutMs, undefined, { ref: false })])
      hasTimedOut = true
    },
  }
}

/** Whether the stream has messages that no process has applied. True when that cannot be read. */
async function isBehind({ connection, stream, asVisits }: StreamConsumerDeps): Promise<boolean> {
  const usable = connection.current()
  if (!usable) return false
  try {
    const mark = await asVisits((db) => readStreamPosition(db, stream))
    return (await readState(usable)).last > (mark?.seq ?? 0)
  } catch {
    return true
  }
}
