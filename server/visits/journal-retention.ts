import { type Journal, maxJournalBytes, type Segment } from './journal.ts'
import type { RunAsVisits } from './segment-applier.ts'
import { removeMarks } from './segment-marks.ts'

/** Longer than the time between two backups, so that a restored database gets its later clicks again. */
const keepAppliedMs = 48 * 60 * 60 * 1000
/** Beyond this size, applied segments are removed earlier. */
const crowdedBytes = maxJournalBytes * 0.75

export function isCrowded(journal: Journal): boolean {
  return journal.bytes() > crowdedBytes
}

/** Removes old applied segments: first the file, then its mark, so that no click is applied twice. */
export async function removeOldSegments(journal: Journal, asVisits: RunAsVisits): Promise<void> {
  for (const segment of journal.segments()) {
    if (!isApplied(segment) || isKept(segment, journal)) continue
    journal.remove(segment)
    await asVisits((db) => removeMarks(db, [segment.id]))
  }
}

function isApplied({ closed, applied, size }: Segment): boolean {
  return closed && applied !== undefined && applied >= size
}

function isKept({ writtenAt }: Segment, journal: Journal): boolean {
  return Date.now() - writtenAt < keepAppliedMs && !isCrowded(journal)
}
