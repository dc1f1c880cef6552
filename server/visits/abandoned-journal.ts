import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readSegment, type Segment, segmentsIn, subfoldersOf } from './journal-files.ts'

/** The journal of a server that is gone, with those of its workers. */
export interface AbandonedJournal {
  segments: readonly Segment[]
  read: typeof readSegment
  /** Deletes the file of a segment. */
  remove(segment: Segment): void
}

/** Reads the journal of another server without changing it: that server may only seem to be gone. */
export function openAbandonedJournal(folder: string): AbandonedJournal {
  const folders = existsSync(folder)
    ? [folder, ...subfoldersOf(folder).map((name) => join(folder, name))]
    : []
  return {
    segments: folders.flatMap(segmentsIn),
    read: readSegment,
    remove: ({ path }) => unlinkSync(path),
  }
}
