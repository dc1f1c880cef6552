import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readSegment, type Segment, segmentsIn, subfoldersOf } from './journal-files.ts'

/** What a server that is gone left in its journal, those of its workers included. */
export interface JournalLeft {
  segments: readonly Segment[]
  read: typeof readSegment
  /** Deletes the file of a segment. */
  remove(segment: Segment): void
}

/** Reads the journal of another server without changing it: that server may only seem to be gone. */
export function openJournalLeft(folder: string): JournalLeft {
  const folders = existsSync(folder)
    ? [folder, ...subfoldersOf(folder).map((name) => join(folder, name))]
    : []
  return {
    segments: folders.flatMap(segmentsIn),
    read: readSegment,
    remove: ({ path }) => unlinkSync(path),
  }
}
