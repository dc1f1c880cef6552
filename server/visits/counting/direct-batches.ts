import { randomUUID } from 'node:crypto'
import type { HitStore } from '../../analytics/store/store.ts'
import { type Database, DatabaseUnavailableError } from '../../postgres/database.ts'
import type { Breaker } from '../../primitives/breaker.ts'
import { isRefusedValue, isRetryableConflict } from '../../primitives/error-code.ts'
import { decodeClicks } from '../record/decode-clicks.ts'
import { NewerRecordsError } from '../record/newer-records.ts'
import { moveMark, removeMark } from './segment-marks.ts'
import { withRetries } from '../../primitives/with-retries.ts'

/** Records that go to the database in one transaction. */
export interface DirectBatch {
  /** The id of its mark in the database, so that a retry after a lost response does not count it twice. */
  id: string
  bytes: Buffer
  clicks: number
}

export interface DirectBatchDeps {
  database: Database
  breaker: Breaker
  hits: HitStore
}

/** Fits into a file of the journal's reserve, and into one transaction. */
const maxBatchBytes = 1024 ** 2
const conflictRetries = { attempts: 3, mayRetry: isRetryableConflict }

/** Applies batches to the database, each once however often it is tried. */
export function createDirectBatches({ database, breaker, hits }: DirectBatchDeps) {
  let applied = 0
  /** The mark of a batch that is known to be applied. */
  let obsoleteMark: string | undefined

  const applyOnce = async (batch: DirectBatch) => {
    const { clicks, newer } = decodeClicks(batch.bytes, Number.POSITIVE_INFINITY, true)
    if (newer) throw new NewerRecordsError(newer)
    const prepared = await hits.prepare(clicks)
    const caller = { role: 'hoplet_visits', statementTimeout: 1_000 } as const
    const { counted } = await database.transactionAs(caller, async (db) => {
      if (!(await moveMark(db, batch.id, 0, batch.bytes.length))) return { counted: 0 }
      if (obsoleteMark !== undefined) await removeMark(db, obsoleteMark)
      return prepared.apply(db)
    })
    prepared.stored()
    breaker.succeeded()
    applied += counted
    obsoleteMark = batch.id
  }

  return {
    /** Clicks counted so far. */
    applied: () => applied,
    /**
     * @returns false when the database does not accept it now
     * @throws {pg.DatabaseError} when it refuses the values themselves (classes 22 and 23 of SQLSTATE), so that a retry is useless
     */
    async apply(batch: DirectBatch): Promise<boolean> {
      if (!breaker.tryAcquire()) return false
      try {
        await withRetries(conflictRetries, () => applyOnce(batch))
        return true
      } catch (error) {
        if (error instanceof DatabaseUnavailableError) breaker.failed()
        if (isRefusedValue(error)) throw error
        return false
      }
    },
    /** Removes the last mark. One that stays because the database fails is harmless. */
    async close(): Promise<void> {
      const mark = obsoleteMark
      if (mark === undefined) return
      await database
        .transactionAs({ role: 'hoplet_visits' }, (db) => removeMark(db, mark))
        .catch(() => {})
    },
  }
}

/** Joins records, in their order, into batches. */
export function batchesOf(records: readonly Buffer[]): DirectBatch[] {
  const groups: Buffer[][] = []
  let bytes = maxBatchBytes
  for (const each of records) {
    if (bytes + each.length > maxBatchBytes) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)?.push(each)
    bytes += each.length
  }
  return groups.map((group) => {
    const whole = Buffer.concat(group)
    const clicks = decodeClicks(whole, Number.POSITIVE_INFINITY, true).clicks.targets.length
    return { id: randomUUID(), bytes: whole, clicks }
  })
}
