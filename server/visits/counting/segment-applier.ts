import type { HitStore } from '../../analytics/store/store.ts'
import type { Logger } from '../../log.ts'
import type { Database, Transaction } from '../../postgres/database.ts'
import { isRefusedValue } from '../../primitives/error-code.ts'
import { type Decoded, decodeClicks } from '../click-record.ts'
import type { Segment } from '../journal/journal-files.ts'
import type { Journal } from '../journal/journal.ts'
import { moveMark, readApplied } from './segment-marks.ts'

/** Runs one transaction as the role of the visits. */
export type RunAsVisits = <T>(work: (db: Transaction) => Promise<T>) => Promise<T>

export const createRunAsVisits =
  (database: Database): RunAsVisits =>
  (work) =>
    database.transactionAs({ role: 'hoplet_visits', statementTimeout: 10_000 }, work)

interface SegmentApplierDeps {
  journal: Pick<Journal, 'read'>
  asVisits: RunAsVisits
  hits: HitStore
  log: Logger
}

const readBytes = 1024 ** 2
const maxRecordsPerBatch = 5_000

/** One transaction moves the mark of the segment and counts the records, so a crash cannot count a record twice or lose it. */
export function createSegmentApplier(deps: SegmentApplierDeps) {
  const { journal, asVisits, hits, log } = deps
  const totals = { applied: 0, orphaned: 0, corrupt: 0 }
  const buffer = Buffer.allocUnsafe(readBytes)
  let maxRecords = maxRecordsPerBatch

  const skip = async (segment: Segment, from: number, to: number, error: unknown) => {
    log.error(
      { err: error, segment: segment.id, at: from },
      'a click was skipped because the database refused it',
    )
    const base = segment.base ?? 0
    await asVisits((db) => moveMark(db, segment.id, base + from, base + to))
    segment.applied = to
    totals.corrupt++
  }

  return {
    totals: () => ({ ...totals }),
    /** Applies the next batch of records of a segment. */
    async applyNext(segment: Segment): Promise<void> {
      const base = segment.base ?? 0
      const from = segment.applied ?? 0
      const length = journal.read(segment, from, buffer)
      const isEnd = from + length >= segment.size || length === 0
      const decoded: Decoded = decodeClicks(buffer.subarray(0, length), maxRecords, isEnd)
      const to = length === 0 ? segment.size : from + decoded.end
      try {
        const prepared = await hits.prepare(decoded.clicks)
        const applied = await asVisits(async (db) => {
          if (!(await moveMark(db, segment.id, base + from, base + to))) return undefined
          return prepared.apply(db)
        })
        if (applied === undefined) {
          // It was applied before (the response to a commit was lost), or the database was restored. Its mark decides.
          segment.applied = await asVisits((db) => readApplied(db, segment))
          hits.recordReplay()
          return
        }
        prepared.stored()
        segment.applied = to
        totals.applied += applied.counted
        totals.orphaned += applied.orphaned
        totals.corrupt += decoded.corrupt
        maxRecords = maxRecordsPerBatch
        if (decoded.corrupt > 0)
          log.warn(
            { segment: segment.id, from, to, records: decoded.corrupt },
            'damaged click records were skipped',
          )
      } catch (error) {
        // Classes 22 and 23 of SQLSTATE: the values themselves are refused, so a retry is useless.
        if (!isRefusedValue(error)) throw error
        // A refused record must not block the rest: read one at a time to find it, then skip it.
        if (maxRecords > 1) maxRecords = 1
        else await skip(segment, from, to, error)
      }
    },
  }
}
