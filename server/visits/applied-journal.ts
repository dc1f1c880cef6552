import { startApplier } from './applier.ts'
import {
  type ClickLog,
  type ClickSinkDeps,
  closeTimeoutMs,
  journalFolder,
  type ToDatabase,
} from './click-log.ts'
import { createJournalWriter } from './journal-writer.ts'
import { type Journal, lagOf, openJournal, type Segment } from './journal.ts'
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
  const opened = openJournal(journalFolder(config), { fsync: config.clicks.fsync })
  const journal: Journal = {
    ...opened,
    remove(segment) {
      opened.remove(segment)
      onRemoved?.(segment)
    },
  }
  const applier = startApplier({ journal, database, hits, listener, log, measureLoad })
  const { append, isDegraded } = createJournalWriter(journal, log)
  return {
    journal,
    write(records, release) {
      if (append(records)) release()
      else toDatabase(records, release)
    },
    status: () => ({
      degraded: isDegraded(),
      ...applier.status(),
      lost: 0,
      journalBytes: journal.bytes(),
    }),
    lag: () => lagOf(journal),
    waiting: () => readWaitingClicks(journal),
    async close() {
      await applier.close(closeTimeoutMs)
      journal.close()
    },
  }
}
