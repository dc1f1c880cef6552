import { type ClickSinkDeps, type ClickWriter, type ToDatabase } from '../counting/click-log.ts'
import { lagOf } from '../journal/journal.ts'
import { createRunAsVisits } from '../counting/segment-applier.ts'
import { readWaitingClicks } from '../counting/waiting-clicks.ts'
import type { ClickStreamSettings } from './stream-address.ts'
import { keepReplaying, openStreamJournal } from './stream-journal.ts'
import { createStreamWriter } from './stream-writer.ts'

interface StreamLogOptions {
  settings: ClickStreamSettings
  /** Folder of the journal that takes over while the stream does not answer. */
  folder: string
  /** For records that neither takes. */
  toDatabase: ToDatabase
}

/** The click log in NATS JetStream, with a journal that takes over (docs/decisions/0036). */
export function openStreamLog(
  { config, database, log }: Pick<ClickSinkDeps, 'config' | 'database' | 'log'>,
  { settings, folder, toDatabase }: StreamLogOptions,
): ClickWriter {
  const files = openStreamJournal({ config, settings, folder, log })
  const { connection, journal, writer: journalWriter, lost } = files
  const { publish } = connection
  const writer = createStreamWriter({ publish, journal: journalWriter, toDatabase, log })
  const replaying = keepReplaying(files, {
    asVisits: createRunAsVisits(database),
    log,
    isHolding: writer.isTakenOver,
    publishHeld: writer.publishHeld,
    onPublished() {
      if (!writer.isTakenOver()) return
      journal.finish()
      writer.resume()
    },
  })
  return {
    write: writer.write,
    // It publishes by itself: there is nothing to follow.
    written: () => [],
    forget() {},
    isDegraded: journalWriter.isDegraded,
    lost: () => writer.status().lost + lost.clicks(),
    stream: {
      status() {
        const { published, takeovers } = writer.status()
        return { isTakenOver: writer.isTakenOver(), takeovers, published }
      },
      journalBytes: journal.bytes,
      lag: () => lagOf(journal),
      waiting: () => readWaitingClicks(journal),
    },
    async close() {
      await writer.close()
      await replaying.close()
      journal.close()
      await connection.close()
    },
  }
}
