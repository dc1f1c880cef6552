import { startApplier } from '../visits/applier.ts'
import {
  type ClickJournal,
  type ClickSinkDeps,
  closeTimeoutMs,
  createJournalWriter,
  journalFolder,
} from '../visits/click-sink.ts'
import { lagOf, openJournal, type Segment, type WrittenSegment } from '../visits/journal.ts'
import { readWaitingClicks } from '../visits/waiting-clicks.ts'

/** What the primary does with the journals of the workers. */
export interface FollowedJournals extends ClickJournal {
  /** @param name of the worker's folder */
  follow(name: string, written: readonly WrittenSegment[]): void
  /** Makes the journal of a worker that has ended part of the primary's own. */
  adopt(name: string): void
  /** Bytes in all journals but the one in the folder `name`. */
  bytesElsewhere(name: string): number
}

interface FollowedJournalsOptions {
  /** How busy the busiest worker is, 0 to 1. */
  load: () => number
  /** A segment of a running worker was applied long ago, and its file is gone. */
  onRemoved: (segment: Segment) => void
}

/** The primary's journal: what earlier processes left, and the journals of the workers, applied together. */
export function openFollowedJournals(
  { config, database, hits, log }: ClickSinkDeps,
  { load, onRemoved }: FollowedJournalsOptions,
): FollowedJournals {
  const journal = openJournal(journalFolder(config), { fsync: config.clicks.fsync })
  const applier = startApplier({
    journal: {
      ...journal,
      remove(segment) {
        journal.remove(segment)
        onRemoved(segment)
      },
    },
    database,
    hits,
    log,
    measureLoad: () => load,
  })
  const { append, isDegraded } = createJournalWriter(journal, log)
  return {
    append,
    status: () => ({
      degraded: isDegraded(),
      ...applier.status(),
      journalBytes: journal.bytes(),
    }),
    lag: () => lagOf(journal),
    waiting: () => readWaitingClicks(journal),
    async close() {
      await applier.close(closeTimeoutMs)
      journal.close()
    },
    follow: journal.follow,
    adopt: journal.adopt,
    bytesElsewhere: (name) => journal.bytes() - journal.bytesIn(name),
  }
}
