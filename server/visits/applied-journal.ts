import { startApplier } from './applier.ts'
import {
  type ClickLog,
  type ClickSinkDeps,
  closeTimeoutMs,
  journalFolder,
  type ToDatabase,
} from './click-log.ts'
import { keepReserve, openJournalReserve } from './journal-reserve.ts'
import { createJournalWriter } from './journal-writer.ts'
import { createLostClicks } from './unsafe-note.ts'
import type { Segment } from './journal-files.ts'
import { type Journal, lagOf, openJournal } from './journal.ts'
import { readWaitingClicks } from './waiting-clicks.ts'

interface AppliedJournalOptions {
  /** Starts to measure how busy the process is that answers visitors; the result ends it, 0 to 1. */
  measureLoad?: () => () => number
  /** A segment was applied long ago, and its file is gone. */
  onRemoved?: (segment: Segment) => void
}

/** The click log in a file of this machine: the journal with its applier. */
export function openAppliedJournal(
  { config, database, hits, listener, log }: ClickSinkDeps,
  toDatabase: ToDatabase,
  { measureLoad, onRemoved }: AppliedJournalOptions = {},
): ClickLog & { journal: Journal } {
  const reserve = openJournalReserve(config)
  const keeping = keepReserve(reserve, log)
  const lost = createLostClicks(log)
  const { fsync } = config.clicks
  const opened = openJournal(journalFolder(config), { fsync, reserve, onLost: lost.add })
  const journal: Journal = {
    ...opened,
    remove(segment) {
      opened.remove(segment)
      onRemoved?.(segment)
    },
  }
  const applier = startApplier({ journal, database, hits, listener, log, measureLoad })
  const { append, isDegraded, keep } = createJournalWriter(journal, log)
  return {
    journal,
    write(records, release) {
      if (append(records)) release()
      else toDatabase(records, release)
    },
    status: () => ({
      degraded: isDegraded(),
      ...applier.status(),
      lost: lost.clicks(),
      journalBytes: journal.bytes(),
      reserve: reserve.status(),
    }),
    lag: () => lagOf(journal),
    waiting: () => readWaitingClicks(journal),
    memory: { note: journal.recordUnsafe, keep },
    async close() {
      await keeping.close()
      await applier.close(closeTimeoutMs)
      journal.close()
    },
  }
}
