import { startApplier } from '../visits/applier.ts'
import {
  type ClickLog,
  type ClickSinkDeps,
  closeTimeoutMs,
  journalFolder,
  type ToDatabase,
} from '../visits/click-log.ts'
import { createJournalWriter } from '../visits/journal-writer.ts'
import { lagOf, openJournal, type Segment, type WrittenSegment } from '../visits/journal.ts'
import { openStreamLog } from '../visits/stream/stream-log.ts'
import { readWaitingClicks } from '../visits/waiting-clicks.ts'

/** What the primary does with the journals of the workers. */
export interface FollowedJournals extends ClickLog {
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
  deps: ClickSinkDeps,
  toDatabase: ToDatabase,
  { load, onRemoved }: FollowedJournalsOptions,
): FollowedJournals {
  const { config, database, hits, listener, log } = deps
  const folder = journalFolder(config)
  const { stream: settings } = config.clicks
  if (settings) {
    const measureLoad = () => load
    const stream = openStreamLog(deps, toDatabase, {
      settings,
      folder,
      isReader: true,
      measureLoad,
    })
    // Workers publish by themselves: there is nothing to follow.
    return { ...stream, follow() {}, bytesElsewhere: () => 0 }
  }
  const journal = openJournal(folder, { fsync: config.clicks.fsync })
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
    listener,
    log,
    measureLoad: () => load,
  })
  const { append, isDegraded } = createJournalWriter(journal, log)
  return {
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
    follow: journal.follow,
    adopt: journal.adopt,
    bytesElsewhere: (name) => journal.bytes() - journal.bytesIn(name),
  }
}
