import { setTimeout as sleep } from 'node:timers/promises'
import { removeOldSegments } from '../applier.ts'
import { type ClickLog, type ClickSinkDeps, closeTimeoutMs, type ToDatabase } from '../click-log.ts'
import { keepReserve, openJournalReserve } from '../journal-reserve.ts'
import { createJournalWriter } from '../journal-writer.ts'
import { createLostClicks } from '../unsafe-note.ts'
import { lagOf, maxJournalBytes, openJournal } from '../journal.ts'
import { startPeriodicJob } from '../../primitives/periodic-job.ts'
import { createRunAsVisits } from '../segment-applier.ts'
import { readWaitingClicks } from '../waiting-clicks.ts'
import { createReplayer } from './replayer.ts'
import type { ClickStreamSettings } from './stream-address.ts'
import { openStreamConnection } from './stream-connection.ts'
import { startStreamConsumer } from './stream-consumer.ts'
import { createStreamLag } from './stream-lag.ts'
import { createStreamWriter } from './stream-writer.ts'

interface StreamLogOptions {
  settings: ClickStreamSettings
  /** Where the journal is that takes over. */
  folder: string
  /** Whether this process competes for reading the stream, and tells how far it is applied. */
  isReader: boolean
  measureLoad?: () => () => number
}

/** The click log in NATS JetStream, with a journal that takes over while the stream does not answer. */
export interface StreamLog extends ClickLog {
  /** Publishes the journal of a worker that has ended, the subfolder `name`. */
  adopt(name: string): void
}

const replayMs = 250
const replayRetryMs = 1_000
const lagMs = 2_000
const retentionMs = 10 * 60 * 1000

/** See docs/decisions/0036. */
export function openStreamLog(
  { config, database, hits, log }: ClickSinkDeps,
  toDatabase: ToDatabase,
  { settings, folder, isReader, measureLoad }: StreamLogOptions,
): StreamLog {
  const asVisits = createRunAsVisits(database)
  const { stream } = settings
  const connection = openStreamConnection(settings, log)
  const reserve = openJournalReserve(config)
  const lostEarlier = createLostClicks(log)
  const journal = openJournal(folder, {
    fsync: config.clicks.fsync,
    maxBytes: Math.floor(maxJournalBytes / config.workers),
    isOfStream: true,
    reserve,
    onLost: lostEarlier.add,
  })
  const journalWriter = createJournalWriter(journal, log)
  const { publish } = connection
  const writer = createStreamWriter({ publish, journal: journalWriter, toDatabase, log })
  const resume = () => {
    if (!writer.isTakenOver()) return
    journal.finish()
    writer.resume()
  }
  const replayer = createReplayer({ journal, publish, asVisits, onPublished: resume, log })
  const consumer = isReader
    ? startStreamConsumer({ connection, stream, asVisits, hits, log, measureLoad })
    : undefined
  const position = () => consumer?.position()
  const lag = createStreamLag({ connection, stream, asVisits, position })
  const jobs = isReader
    ? [
        keepReserve(reserve, log),
        startPeriodicJob({
          name: 'lag of the click stream',
          intervalMs: lagMs,
          log,
          work: lag.refresh,
        }),
        startPeriodicJob({
          name: 'removal of old click files and marks',
          intervalMs: retentionMs,
          log,
          async work() {
            await removeOldSegments(journal, asVisits)
            await consumer?.removeOldSources()
          },
        }),
      ]
    : []

  const replay = async (): Promise<void> => {
    await writer.publishHeld()
    await replayer.replay()
    // The journal could not take anything: there was nothing to publish that could have told.
    resume()
  }
  const closing = new AbortController()
  const keepReplaying = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      let pauseMs = replayMs
      try {
        if (connection.current() && (writer.isTakenOver() || replayer.isBehind())) await replay()
      } catch (error) {
        pauseMs = replayRetryMs
        log.debug({ err: error }, 'the journal waits for the click stream')
        await connection.reset()
      }
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }
  const replaying = keepReplaying()

  return {
    write: writer.write,
    status() {
      const { applied = 0, orphaned = 0, corrupt = 0 } = consumer?.status() ?? {}
      return {
        degraded: journalWriter.isDegraded(),
        applied,
        orphaned,
        corrupt,
        lost: writer.status().lost + lostEarlier.clicks(),
        journalBytes: journal.bytes(),
        reserve: isReader ? reserve.status() : { ready: 0, missing: 0 },
      }
    },
    stream() {
      const { published, takeovers } = writer.status()
      return {
        isTakenOver: writer.isTakenOver(),
        takeovers,
        published,
        missingBytes: consumer?.status().missingBytes ?? 0,
        waitingMessages: lag.last().messages,
      }
    },
    lag() {
      const files = lagOf(journal)
      const { bytes, oldestAt = Date.now() } = lag.last()
      const seconds = Math.max(0, Math.round((Date.now() - oldestAt) / 1000))
      const oldest = Math.max(files.oldestWaitingSeconds ?? 0, seconds)
      const waitingBytes = files.waitingBytes + bytes
      return {
        segments: files.segments,
        waitingBytes,
        oldestWaitingSeconds: waitingBytes === 0 ? null : oldest,
      }
    },
    async waiting() {
      const [inStream, inFiles] = await Promise.all([
        lag.waiting().catch(() => undefined),
        readWaitingClicks(journal),
      ])
      if (!inStream || !inFiles) return undefined
      const found = new Map(inStream)
      for (const [target, { count, oldestAt }] of inFiles) {
        const known = found.get(target) ?? { count: 0, oldestAt }
        const oldest = Math.min(known.oldestAt, oldestAt)
        found.set(target, { count: known.count + count, oldestAt: oldest })
      }
      return found
    },
    memory: { note: journal.recordUnsafe, keep: journalWriter.keep },
    adopt: journal.adopt,
    async close() {
      await writer.close()
      closing.abort()
      await replaying
      journal.finish()
      if (connection.current() && replayer.isBehind()) await replay().catch(() => {})
      for (const job of jobs) await job.close()
      await consumer?.close(closeTimeoutMs)
      journal.close()
      await connection.close()
    },
  }
}
