import type { ClickColumns } from '../../visits/record/decode-clicks.ts'
import type { Transaction } from '../../postgres/database.ts'

export interface Applied {
  /** Clicks that moved a counter. */
  counted: number
  /** Clicks on links or pages that were deleted in the meantime. */
  orphaned: number
}

/** A batch of hits with their verdicts. */
export interface PreparedHits {
  /** Counts and stores the batch, in the transaction that moves the mark of the click log. */
  apply(db: Transaction): Promise<Applied>
  /** The transaction was committed: its visitors are known to the next batch. */
  stored(): void
}

/** Where hits are kept. */
export interface HitStore {
  /**
   * Decides the verdict of each hit and names its client, place and origin. Call it for one batch at a time, in the order of the
   * log: a repeat is known by the hits before it.
   *
   * @throws {DatabaseUnavailableError} or a database error; the batch can be prepared again
   */
  prepare(clicks: ClickColumns): Promise<PreparedHits>
  /** Notes that a part of a journal turned out to be stored already. Returns at once. */
  recordReplay(): void
  /** Notes that other processes stored batches since the last one here: their visitors are read. */
  recordTakeover(): void
}
