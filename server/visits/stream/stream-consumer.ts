import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HitStore } from '../../analytics/store/store.ts'
import type { Logger } from '../../log.ts'
import { DatabaseUnavailableError } from '../../postgres/database.ts'
import type { RunAsVisits } from '../segment-applier.ts'
import { createBatchPauses } from '../visitors-first.ts'
import { createBatchApplier, MarkMovedError } from './batch-applier.ts'
import type { StreamConnection, UsableStream } from './stream-connection.ts'
import {
  leaseSeconds,
  leaseStream,
  moveStreamPosition,
  readStreamPosition,
  releaseStream,
  removeOldSources,
  type StreamPosition,
} from './stream-marks.ts'
import type { StreamMessage } from './stream-message.ts'
import { isSameStream, readMessages, readState, type StreamState } from './stream-reader.ts'

interface StreamConsumerDeps {
  connection: StreamConnection
  stream: string
  asVisits: RunAsVisits
  hits: HitStore
  log: Logger
  measureLoad?: (() => () => number) | undefined
}

const intervalMs = 250
const maxRetryMs = 2_000
const renewMs = (leaseSeconds * 1000) / 3
/** Messages in memory that are not applied yet. */
const readAheadBytes = 2 * 1024 ** 2
/** About 20 s of visits at full load: beyond it there are no pauses. */
const urgentMessages = 10_000
/** Beyond this part of its size, the stream loses the older half of applied messages, so that it accepts more. */
const crowdedPart = 0.75

/**
 * Applies the click stream to the database. Of all processes that run this for one database, the one with the lease
 * does it; if two do for a moment, the marks let only one of them count a message.
 */
export function startStreamConsumer(deps: StreamConsumerDeps) {
  const { connection, stream, asVisits, hits, log, measureLoad } = deps
  const applier = createBatchApplier({ stream, asVisits, hits, log })
  const reader = randomUUID()
  let position: StreamPosition | undefined
  let leasedAt = -Infinity
  /** Read, and not applied yet. */
  let ahead: StreamMessage[] = []
  let waiting = 0
  let delayMs = intervalMs
  let isClosed = false
  let hasTimedOut = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  const startPause = createBatchPauses({
    measureLoad,
    isUrgent: () => isClosed || waiting > urgentMessages,
  })

  const forget = () => {
    position = undefined
    ahead = []
    applier.forget()
  }
  const holdLease = async (): Promise<boolean> => {
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
  const startOver = async (from: StreamPosition, state: StreamState) => {
    const beginning = { seq: Math.max(0, state.first - 1), id: '' }
    log.error(
      { applied: from.seq, last: state.last },
      'this is not the click stream that was read, or it has lost its end: reading it from the beginning, which counts nothing twice',
    )
    if (!(await asVisits((db) => moveStreamPosition(db, stream, from, beginning))))
      throw new MarkMovedError()
    position = beginning
  }
  const makeRoom = async ({ manager, name }: UsableStream, state: StreamState, seq: number) => {
    if (state.maxBytes <= 0 || state.bytes < state.maxBytes * crowdedPart) return
    const upTo = state.first + Math.floor((seq + 1 - state.first) / 2)
    if (upTo <= state.first) return
    await manager.streams.purge(name, { seq: upTo })
    log.warn(
      { bytes: state.bytes },
      'the click stream is nearly full: applied clicks were removed from it',
    )
  }
  /** False: there is nothing more to read. */
  const readAhead = async (usable: UsableStream, at: StreamPosition): Promise<boolean> => {
    const state = await readState(usable)
    waiting = Math.max(0, state.last - at.seq)
    if (state.last === at.seq) return false
    if (!(await isSameStream(usable, state, at))) {
      await startOver(at, state)
      return true
    }
    if (at.seq > 0 && state.first > at.seq + 1)
      log.error(
        { messages: state.first - at.seq - 1 },
        'the click stream removed clicks before they were counted',
      )
    ahead = await readMessages(usable, state, at.seq, readAheadBytes)
    await makeRoom(usable, state, at.seq)
    return ahead.length > 0
  }
  const applyRest = async (): Promise<void> => {
    const usable = connection.current()
    if (!usable) return
    while (await holdLease()) {
      const at = position
      if (!at) return
      if (ahead.length === 0) {
        if (await readAhead(usable, at)) continue
        return
      }
      const pause = startPause()
      position = await applier.applyNext(ahead, at)
      const { seq } = position
      ahead = ahead.filter((message) => message.seq > seq)
      waiting = Math.max(0, waiting - (seq - at.seq))
      await pause()
    }
  }
  const applyAll = async (): Promise<void> => {
    try {
      await applyRest()
      if (delayMs !== intervalMs) log.info('clicks are being applied again')
      delayMs = intervalMs
    } catch (error) {
      forget()
      if (error instanceof MarkMovedError) return hits.recordReplay()
      if (delayMs === intervalMs) log.warn({ err: error }, 'clicks wait in the click stream')
      if (!(error instanceof DatabaseUnavailableError) && connection.current())
        log.error({ err: error }, 'applying clicks failed')
      delayMs = Math.min(delayMs * 2, maxRetryMs)
    }
  }
  const isBehind = async (): Promise<boolean> => {
    const usable = connection.current()
    if (!usable || hasTimedOut) return false
    try {
      const mark = await asVisits((db) => readStreamPosition(db, stream))
      return (await readState(usable)).last > (mark?.seq ?? 0)
    } catch {
      return true
    }
  }
  const run = () => {
    running = applyAll().finally(() => {
      if (!isClosed) timer = setTimeout(run, delayMs)
    })
  }
  run()

  return {
    status: applier.totals,
    /** The mark, while this process has the lease. */
    position: () => position,
    removeOldSources: () => asVisits(removeOldSources),
    /** Applies messages of the stream for at most `timeoutMs`; the rest is for another process, or the next start. */
    async close(timeoutMs: number): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      const drained = (async () => {
        await running
        // While another process has the lease, it applies; if that one has died, its lease ends soon.
        for (await applyAll(); await isBehind(); await applyAll()) await sleep(intervalMs)
        await asVisits((db) => releaseStream(db, stream, reader)).catch(() => {})
      })()
      await Promise.race([drained, sleep(timeoutMs, undefined, { ref: false })])
      hasTimedOut = true
    },
  }
}
