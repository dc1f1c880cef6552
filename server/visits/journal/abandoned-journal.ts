import { existsSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readSegment, type Segment, segmentsIn, subfoldersOf } from './journal-files.ts'

export type AbandonedJournal = ReturnType<typeof openAbandonedJournal>

/**
 * Reads the journal of a server that is gone, with those of its workers, without changing it: that server may only seem to be
 * gone.
 */
export function openAbandonedJournal(folder: string) {
  const folders = existsSync(folder)
    ? [folder, ...subfoldersOf(folder).map((name) => join(folder, name))]
    : []
  return {
    segments: folders.flatMap(segmentsIn),
    read: readSegment,
    /** Deletes the file of a segment. */
    remove: ({ path }: Segment): void => unlinkSync(path),
  }
}
