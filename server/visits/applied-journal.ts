import { startApplier } from './applier.ts'
import {
  type CountedLog,
  type CountedLogDeps,
  type CountedLogOptions,
  closeTimeoutMs,
  journalFolder,
} from './click-log.ts'
import { keepReserve, openJournalReserve } from './journal-reserve.ts'
import { createJournalWriter } from './journal-writer.ts'
import { type Journal, lagOf, openJournal } from './journal.ts'
import { createLostClicks } from './unsafe-note.ts'
import { readWaitingClicks } from './waiting-clicks.ts'

/** The counting side of the journal: files of earlier processes, and the journals of the running ones, applied together. */
export function openAppliedJournal(
  { config, database, hits, log }: CountedLogDeps,
  { measureLoad, onRemoved }: CountedLogOptions = {},
): CountedLog {
  const reserve = openJournalReserve(config)
  const keeping = keepReserve(reserve, log)
  const lost = createLostClicks(log)
  const { fsync } = config.clicks
  const opened = openJournal(journalFolder(config), { fsync, reserve, onLost: lost.add })
  const journal: Journal = {
    ...opened,
    remove(segment) {
      opened.remove(segment)
      onRemoved?.(segment.id)
    },
  }
  const applier = startApplier({ journal, database, hits, log, measureLoad })
  return {
    status: () => ({
      ...applier.status(),
      lost: lost.clicks(),
      journalBytes: journal.bytes(),
      reserve: reserve.status(),
    }),
    lag: () => lagOf(journal),
    waiting: () => readWaitingClicks(journal),
    stream: () => ({ missingBytes: 0, waitingMessages: 0 }),
    memory: { note: journal.recordUnsafe, keep: createJournalWriter(journal, log).keep },
    follow: journal.follow,
    adopt: journal.adopt,
    bytesElsewhere: (name) => journal.bytes() - journal.bytesIn(name),
    clearMarks: applier.clearMarks,
    async close() {
      await keeping.close()
      await applier.close(closeTimeoutMs)
      journal.close()
    },
  }
}
