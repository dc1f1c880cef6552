import type { HitStore } from '../../analytics/store/store.ts'
import type { Logger } from '../../log.ts'
import type { Database, Transaction } from '../../postgres/database.ts'
import { isRefusedValue } from '../../primitives/error-code.ts'
import { type Decoded, decodeClicks } from '../record/decode-clicks.ts'
import { createNewerRecords, type NewerRecords, unknownVerdicts } from '../record/newer-records.ts'
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
  /** Segments that end at a record of a later version, for this process. */
  newer?: NewerRecords
}

const readBytes = 1024 ** 2
const maxRecordsPerBatch = 5_000

/** One transaction moves the mark of the segment and counts the records, so a crash cannot count a record twice or lose it. */
export function createSegmentApplier(deps: SegmentApplierDeps) {
  const { journal, asVisits, hits, log, newer = createNewerRecords(log) } = deps
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

  const report = (segment: Segment, { corrupt, unknown }: Decoded) => {
    const facts = { segment: segment.id, from: segment.applied }
    if (corrupt > 0) log.warn({ ...facts, records: corrupt }, 'damaged click records were skipped')
    if (unknown > 0) log.warn({ ...facts, records: unknown }, unknownVerdicts)
  }

  return {
    totals: () => ({ ...totals }),
    /** Whether a segment has records for the next call of `applyNext`. */
    isBehind: ({ id, applied, size }: Segment): boolean =>
      applied !== undefined && applied < size && !newer.has(id),
    /** Applies the next batch of records of a segment, up to the first record of a later version. */
    async applyNext(segment: Segment): Promise<void> {
      const base = segment.base ?? 0
      const from = segment.applied ?? 0
      const length = journal.read(segment, from, buffer)
      const isEnd = from + length >= segment.size || length === 0
      const decoded: Decoded = decodeClicks(buffer.subarray(0, length), maxRecords, isEnd)
      if (decoded.newer && decoded.end === 0) return newer.stopAt(segment.id, decoded.newer)
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
        report(segment, decoded)
        segment.applied = to
        totals.applied += applied.counted
        totals.orphaned += applied.orphaned
        totals.corrupt += decoded.corrupt
        maxRecords = maxRecordsPerBatch
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
