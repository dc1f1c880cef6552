import type { WrittenSegment } from '../journal/journal-files.ts'
import type { JournalLag } from '../journal/journal.ts'
import type { WaitingClicks } from './waiting-clicks.ts'

// Between a process that answers visits and the one place of the server that counts them (docs/decisions/0005). Plain
// values only: they pass to a thread and to another process.

/** State of all clicks of the server. */
export interface CountingStatus {
  applied: number
  /** Clicks on links that were deleted in the meantime. */
  orphaned: number
  /** Damaged journal records. */
  corrupt: number
  /** Visits that got their response but could not be recorded. */
  lost: number
  /** Clicks counted from journals of other servers that are gone. */
  adopted: number
  journalBytes: number
  /** Bytes in all journals but the receiver's. */
  bytesElsewhere: number
  reserve: { ready: number; missing: number }
  lag: JournalLag | null
  /** Records that no log took have waited for this long at most; 0 when none wait. */
  directMs: number
  /** Lag of the click log in NATS JetStream: see {@link ClickStreamStatus}. */
  stream: { missingBytes: number; waitingMessages: number }
}

export type ToCounting =
  /**
   * Sent every `reportMs`: the writes since then, and how busy the event loop was, 0 to 1. The answer is the status, if it
   * has changed.
   */
  | { kind: 'written'; segments: WrittenSegment[]; load: number }
  /** Records that no log took. */
  | { kind: 'count'; batch: number; records: Uint8Array }
  | { kind: 'waiting'; question: number }
  /** The database was gone for a moment: another server may answer now. */
  | { kind: 'reconnected' }

export type FromCounting =
  | { kind: 'status'; status: CountingStatus }
  /** A segment was applied long ago, and its file is gone. */
  | { kind: 'removed'; segment: string }
  | { kind: 'waiting'; question: number; targets: [string, WaitingClicks][] | null }
  /** The database has the records, or they wait in memory for it. */
  | { kind: 'counted'; batch: number }

/** The connection of a process that answers visits to the counting of its server. */
export interface CountingPort {
  /** The folder of the process's journal, in the journal's folder of the server. */
  journal: string
  send(message: ToCounting): void
  on(listener: (message: FromCounting) => void): void
  /** The process writes no more. Resolves when its clicks are counted, after 10 s at most, or are left to another process. */
  close(): Promise<void>
}

export const reportMs = 200
