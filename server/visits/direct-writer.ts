import { randomUUID } from 'node:crypto'
import type { HitStore } from '../analytics/store/store.ts'
import type { Logger } from '../log.ts'
import { type Database, DatabaseUnavailableError } from '../postgres/database.ts'
import type { Breaker } from '../primitives/breaker.ts'
import { isRefusedValue, isRetryableConflict } from '../primitives/error-code.ts'
import type { ClickMemory } from './click-log.ts'
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
  clicks: number
}

/** Of records that wait in memory for the database. */
const maxKeptBytes = 16 * 1024 ** 2
/** Fits into a file of the journal's reserve, and into one transaction. */
const maxBatchBytes = 1024 ** 2
const maxConflictRetries = 3
const retryMs = 1_000

/**
 * Counts clicks in the database while their visitors wait: for CLICK_MODE=sync, and while the journal fails. Writes one
 * batch at a time; records that arrive in the meantime go into the next batch together.
 *
 * @param memory of the click log, if there is one: where clicks go that are still in memory at the end
 */
export function createDirectWriter(
  { database, breaker, hits, log }: DirectWriterDeps,
  memory: () => ClickMemory | undefined = () => undefined,
) {
  const totals = { applied: 0, lost: 0 }
  const queue: Batch[] = []
  /** The mark of a batch that is known to be applied. */
  let obsoleteMark: string | undefined
  let incoming: Buffer[] = []
  let noted = 0
  let next: Promise<void> | undefined
  let running: Promise<void> = Promise.resolve()
  let retryTimer: NodeJS.Timeout | undefined

  const lose = (batch: Batch, error: unknown) => {
    totals.lost += batch.clicks
    log.error({ err: error, clicks: batch.clicks }, 'clicks were lost')
  }

  const applyOnce = async (batch: Batch) => {
    const { clicks } = decodeClicks(batch.bytes, Number.POSITIVE_INFINITY, true)
    const prepared = await hits.prepare(clicks)
    const caller = { role: 'hoplet_visits', statementTimeout: 1_000 } as const
    const applied = await database.transactionAs(caller, async (db) => {
      if (!(await moveMark(db, batch.id, 0, batch.bytes.length))) return { counted: 0 }
      if (obsoleteMark !== undefined) await removeMark(db, obsoleteMark)
      return prepared.apply(db)
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
        if (!isRefusedValue(error)) return false
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
    queue.push(...batchesOf(incoming))
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
    note()
    if (queue.length > 0) {
      retryTimer = setTimeout(() => void schedule(), retryMs)
      if (!wasKeeping)
        log.error('clicks are kept in memory only, because the database does not accept them')
    } else if (wasKeeping) log.info('the clicks that were kept in memory are in the database now')
  }
  /** For the next start, should this process be killed. */
  const note = () => {
    const clicks = queue.reduce((sum, batch) => sum + batch.clicks, 0)
    if (clicks !== noted) memory()?.note((noted = clicks))
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
    /** Retries the records in memory once. Those that fail again go into the click log, or are lost and logged. */
    async close() {
      await schedule()
      clearTimeout(retryTimer)
      // The first one may be in the database, its answer lost: the file has the id of its mark, which will tell.
      let start = queue[0] && { id: queue[0].id, base: undefined }
      while (queue[0] && memory()?.keep(queue[0].bytes, start)) {
        queue.shift()
        start = undefined
      }
      note()
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

function batchesOf(records: readonly Buffer[]): Batch[] {
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
