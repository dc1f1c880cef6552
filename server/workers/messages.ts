import type { Config } from '../config.ts'
import type { Family } from '../metrics/families.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { WrittenSegment } from '../visits/journal-files.ts'
import type { JournalLag } from '../visits/journal.ts'
import type { WaitingClicks } from '../visits/waiting-clicks.ts'

// Messages between the processes of one server, as JSON over the channel of node:cluster.

/** The configuration of a worker: its share, and settings that the primary knows only after its own start. */
export type WorkerConfig = Config & { publicUrl: string; databaseUrl: string }

/** A token that one process took (1) or gave back (-1). */
export type Spent = [policy: BucketPolicy, key: string, tokens: number]

/** State of all journals together. */
export interface JournalsStatus {
  applied: number
  orphaned: number
  corrupt: number
  journalBytes: number
  /** Bytes in all journals but the receiver's. */
  bytesElsewhere: number
  lag: JournalLag | null
}

export type ToWorker =
  | { kind: 'start'; number: number; journal: string; config: WorkerConfig }
  /** Serve on, and say at /health/ready that this will end. */
  | { kind: 'drain' }
  /** The server stops. */
  | { kind: 'stop' }
  /** Another worker has taken the place of this one. */
  | { kind: 'retire' }
  | { kind: 'spent'; spent: Spent[] }
  | { kind: 'journals'; status: JournalsStatus }
  | { kind: 'removed'; segment: string }
  | { kind: 'waiting'; question: number; targets: [string, WaitingClicks][] | null }
  /** Asks for its metrics. */
  | { kind: 'measure' }

export type ToPrimary =
  /** It listens to messages from now on; earlier ones would be lost. */
  | { kind: 'listening' }
  | { kind: 'ready' }
  /** The start failed; the message tells the operator why. */
  | { kind: 'failed'; message: string }
  | { kind: 'spent'; spent: Spent[] }
  /** Sent every `reportMs`: the writes since then, and how busy the event loop was, 0 to 1. */
  | { kind: 'report'; written: WrittenSegment[]; load: number }
  | { kind: 'waiting'; question: number }
  | { kind: 'metrics'; families: Family[] }

export const reportMs = 200
