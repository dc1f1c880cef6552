import { startPeriodicJob } from '../../primitives/jobs.ts'
import { removeOldFiles } from '../counting/applier.ts'
import {
  type CountedLog,
  type CountedLogDeps,
  type CountedLogOptions,
  closeTimeoutMs,
  journalFolder,
} from '../counting/click-log.ts'
import { keepReserve } from '../journal/journal-reserve.ts'
import { lagOf, sumOfLags } from '../journal/journal.ts'
import { createRunAsVisits } from '../counting/segment-applier.ts'
import { mergeWaiting, readWaitingClicks } from '../counting/waiting-clicks.ts'
import type { ClickStreamSettings } from './stream-address.ts'
import { startStreamConsumer } from './stream-consumer.ts'
import { keepReplaying, openStreamJournal } from './stream-journal.ts'
import { createStreamLag } from './stream-lag.ts'

const lagMs = 2_000
const retentionMs = 10 * 60 * 1000

/**
 * The counting side of the click log in NATS JetStream: competes with other servers for reading the stream, and publishes
 * the journals of processes that have ended.
 */
export function openCountedStream(
  { config, database, hits, log }: CountedLogDeps,
  settings: ClickStreamSettings,
  { measureLoad }: Pick<CountedLogOptions, 'measureLoad'>,
): CountedLog {
  const asVisits = createRunAsVisits(database)
  const { stream } = settings
  const folder = journalFolder(config)
  const files = openStreamJournal({ config, settings, folder, log })
  const { connection, journal, writer, reserve, lost } = files
  const replaying = keepReplaying(files, { asVisits, log })
  const consumer = startStreamConsumer({ connection, stream, asVisits, hits, log, measureLoad })
  const lag = createStreamLag({ connection, stream, asVisits, position: consumer.position })
  const jobs = [
    keepReserve(reserve, log),
    startPeriodicJob(log, 'lag of the click stream', { everyMs: lagMs }, lag.refresh),
    startPeriodicJob(log, 'removal of old click files and marks', { everyMs: retentionMs }, () =>
      removeOldFiles(journal, asVisits),
    ),
  ]

  return {
    status() {
      const { applied, orphaned, corrupt } = consumer.status()
      return {
        applied,
        orphaned,
        corrupt,
        lost: lost.clicks(),
        journalBytes: journal.bytes(),
        reserve: reserve.status(),
      }
    },
    stream: () => ({
      missingBytes: consumer.status().missingBytes,
      waitingMessages: lag.last().messages,
    }),
    lag() {
      const { bytes, oldestAt = Date.now() } = lag.last()
      const oldestWaitingSeconds =
        bytes === 0 ? null : Math.max(0, Math.round((Date.now() - oldestAt) / 1000))
      return sumOfLags(lagOf(journal), { segments: 0, waitingBytes: bytes, oldestWaitingSeconds })
    },
    async waiting() {
      const [inStream, inFiles] = await Promise.all([
        lag.waiting().catch(() => undefined),
        readWaitingClicks(journal),
      ])
      return inStream && inFiles && mergeWaiting(inStream, inFiles)
    },
    memory: { recordUnsafe: journal.recordUnsafe, keep: writer.keep },
    // Its processes publish by themselves.
    follow() {},
    adopt: journal.adopt,
    bytesElsewhere: () => 0,
    // The position in the stream is checked with every batch.
    clearMarks() {},
    async close() {
      await replaying.close()
      for (const job of jobs) await job.close()
      await consumer.close(closeTimeoutMs)
      journal.close()
      await connection.close()
    },
  }
}
