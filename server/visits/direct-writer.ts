import { randomUUID } from 'node:crypto'
import type { HitStore } from '../analytics/store/store.ts'
import type { Logger } from '../log.ts'
import { type Database, DatabaseUnavailableError } from '../postgres/database.ts'
import type { Breaker } from '../primitives/breaker.ts'
import { errorCode, isRetryableConflict } from '../primitives/error-code.ts'
import { applyClicks } from './apply-clicks.ts'
import { decodeClicks } from './click-record.ts'
import { moveMark, removeMark } from './segment-marks.ts'

interface DirectWriterDeps {
  database: Database
  breaker: Breaker
  hits: HitStore
  log: Logger
}

interface Batch {
  /** The id of its mark in the database, so that a retry after a lost response does not count it twice. */
  id: string
  bytes: Buffer
}

/** Of records that wait in memory for the database. */
const maxKeptBytes = 16 * 1024 ** 2
const maxConflictRetries = 3
const retryMs = 1_000

/**
 * Counts clicks in the database while their visitors wait: for CLICK_MODE=sync, and while the journal fails. Writes one
 * batch at a time; records that arrive in the meantime go into the next batch together.
 */
export function createDirectWriter({ database, breaker, hits, log }: DirectWriterDeps) {
  const totals = { applied: 0, lost: 0 }
  const queue: Batch[] = []
  /** The mark of a batch that is known to be applied. */
  let obsoleteMark: string | undefined
  let incoming: Buffer[] = []
  let next: Promise<void> | undefined
  let running: Promise<void> = Promise.resolve()
  let retryTimer: NodeJS.Timeout | undefined

  const lose = (batch: Batch, error: unknown) => {
    const clicks = countIn(batch)
    totals.lost += clicks
    log.error({ err: error, clicks }, 'clicks were lost')
  }

  const applyOnce = async (batch: Batch) => {
    const { clicks } = decodeClicks(batch.bytes, Number.POSITIVE_INFINITY, true)
    const position = { log: batch.id, from: 0, to: batch.bytes.length }
    const prepared = await hits.prepare(clicks, position)
    const caller = { role: 'hoplet_visits', statementTimeout: 1_000 } as const
    const applied = await database.transactionAs(caller, async (db) => {
      if (!(await moveMark(db, batch.id, 0, batch.bytes.length))) return { counted: 0 }
      if (obsoleteMark !== undefined) await removeMark(db, obsoleteMark)
      return applyClicks(db, clicks, prepared)
    })
    prepared.stored()
    return applied
  }

  /** False: the database does not accept it now. */
  const applyBatch = async (batch: Batch): Promise<boolean> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { counted } = await applyOnce(batch)
        breaker.succeeded()
        totals.applied += counted
        obsoleteMark = batch.id
        return true
      } catch (error) {
        if (isRetryableConflict(error) && attempt < maxConflictRetries) continue
        if (error instanceof DatabaseUnavailableError) breaker.failed()
        // Classes 22 and 23 of SQLSTATE: the values themselves are refused, so a retry is useless.
        if (!/^2[23]/.test(errorCode(error) ?? '')) return false
        lose(batch, error)
        return true
      }
    }
  }

  const flush = async (): Promise<void> => {
    next = undefined
    const wasKeeping = retryTimer !== undefined
    clearTimeout(retryTimer)
    retryTimer = undefined
    if (incoming.length > 0) queue.push({ id: randomUUID(), bytes: Buffer.concat(incoming) })
    incoming = []
    for (let batch = queue[0]; batch; batch = queue[0]) {
      if (!breaker.tryAcquire() || !(await applyBatch(batch))) break
      queue.shift()
    }
    let keptBytes = queue.reduce((sum, { bytes }) => sum + bytes.length, 0)
    while (keptBytes > maxKeptBytes) {
      const newest = queue.pop()
      if (!newest) break
      keptBytes -= newest.bytes.length
      lose(newest, undefined)
    }
    if (queue.length > 0) {
      retryTimer = setTimeout(() => void schedule(), retryMs)
      if (!wasKeeping)
        log.error('clicks are kept in memory only, because the database does not accept them')
    } else if (wasKeeping) log.info('the clicks that were kept in memory are in the database now')
  }
  const schedule = () => (next ??= running = running.then(flush))

  return {
    /** Resolves when the records are counted, or kept in memory for a retry; never rejects. */
    write(records: Buffer): Promise<void> {
      // A copy, because the caller uses its buffer again.
      incoming.push(Buffer.from(records))
      return schedule()
    },
    status: () => ({ ...totals }),
    /** Retries the records in memory once. Those that fail again are lost, and logged. */
    async close() {
      await schedule()
      clearTimeout(retryTimer)
      for (const batch of queue.splice(0)) lose(batch, undefined)
      const mark = obsoleteMark
      if (mark === undefined) return
      await database
        .transactionAs({ role: 'hoplet_visits' }, (db) => removeMark(db, mark))
        .catch(() => {
          // A leftover mark is harmless.
        })
    },
  }
}

function countIn({ bytes }: Batch): number {
  return decodeClicks(bytes, Number.POSITIVE_INFINITY, true).clicks.targets.length
}
