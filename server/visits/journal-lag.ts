import { decodeClicks, maxRecordSize } from './click-record.ts'
import type { Journal } from './journal.ts'

export interface JournalLag {
  segments: number
  /** Written, but not yet in the database. */
  waitingBytes: number
  /** Age of the oldest waiting click; null when none is waiting. */
  oldestWaitingSeconds: number | null
}

/** Bytes of records that are written, but not yet in the database. */
export function waitingBytes(journal: Journal): number {
  return journal.segments().reduce((sum, { size, applied }) => sum + size - (applied ?? 0), 0)
}

/** How far the database is behind the journal. Reads a record from disk, so call it for a status page, not per visit. */
export function lagOf(journal: Journal): JournalLag {
  const segments = journal.segments()
  const oldest = segments.find(({ size, applied }) => (applied ?? 0) < size)
  if (!oldest) return { segments: segments.length, waitingBytes: 0, oldestWaitingSeconds: null }
  const buffer = Buffer.alloc(maxRecordSize)
  const length = journal.read(oldest, oldest.applied ?? 0, buffer)
  const at = decodeClicks(buffer.subarray(0, length), 1, true).clicks.times[0] ?? oldest.writtenAt
  const oldestWaitingSeconds = Math.max(0, Math.round((Date.now() - at) / 1000))
  return { segments: segments.length, waitingBytes: waitingBytes(journal), oldestWaitingSeconds }
}
