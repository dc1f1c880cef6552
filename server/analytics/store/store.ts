import type { ClickColumns } from '../../visits/click-record.ts'
import type { Transaction } from '../../postgres/database.ts'

/** A batch of hits with their verdicts. */
export interface PreparedHits {
  /** Stores the batch, in the transaction that moves the mark of the click log. */
  store(db: Transaction): Promise<void>
  /** The transaction was committed: its visitors are known to the next batch. */
  stored(): void
}

/**
 * Which part of the click log a batch is. The transaction that stores it also checks that the log was applied up to
 * `from`, and moves that to `to`; an attempt that fails may be followed by one with another `to`.
 */
export interface LogPosition {
  /** A segment of a journal, a batch of a direct write, or a stream with its reading. */
  log: string
  from: number
  to: number
}

/** Where hits are kept. */
export interface HitStore {
  /**
   * Decides the verdict of each hit and names its client, place and origin. Call it for one batch at a time, in the order of the
   * log: a repeat is known by the hits before it.
   *
   * @throws {DatabaseUnavailableError} or a database error; the batch can be prepared again
   */
  prepare(clicks: ClickColumns, position: LogPosition): Promise<PreparedHits>
  /** Notes that a part of a journal turned out to be stored already. Returns at once. */
  recordReplay(): void
  /** Notes that other processes stored batches since the last one here: their visitors are read. */
  recordTakeover(): void
}
