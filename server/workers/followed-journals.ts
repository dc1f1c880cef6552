import { openAppliedJournal } from '../visits/applied-journal.ts'
import {
  type ClickLog,
  type ClickSinkDeps,
  journalFolder,
  type ToDatabase,
} from '../visits/click-log.ts'
import type { Segment, WrittenSegment } from '../visits/journal-files.ts'
import { openStreamLog } from '../visits/stream/stream-log.ts'

/** The primary's side of the workers' journals. */
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

/** The primary's journal: files of earlier processes, and the journals of the workers, applied together. */
export function openFollowedJournals(
  deps: ClickSinkDeps,
  toDatabase: ToDatabase,
  { load, onRemoved }: FollowedJournalsOptions,
): FollowedJournals {
  const { config } = deps
  const { stream: settings } = config.clicks
  if (settings) {
    const measureLoad = () => load
    const stream = openStreamLog(deps, toDatabase, {
      settings,
      folder: journalFolder(config),
      isReader: true,
      measureLoad,
    })
    // Workers publish by themselves: there is nothing to follow.
    return { ...stream, follow() {}, bytesElsewhere: () => 0 }
  }
  const { journal, ...applied } = openAppliedJournal(deps, toDatabase, {
    measureLoad: () => load,
    onRemoved,
  })
  return {
    ...applied,
    follow: journal.follow,
    adopt: journal.adopt,
    bytesElsewhere: (name) => journal.bytes() - journal.bytesIn(name),
  }
}
