import type { Logger } from '../log.ts'
import { type Database, DatabaseUnavailableError } from '../postgres/database.ts'
import { applyClicks } from './apply-clicks.ts'
import type { Breaker } from './breaker.ts'
import { decodeClicks } from './click-record.ts'

/** Counts clicks in the database while their visitors wait: CLICK_MODE=sync, and what remains when the journal fails. */
export interface DirectWriter {
  /** Resolves when the records are counted, or given up and added to `lost`; never rejects. */
  write(records: Buffer): Promise<void>
  status(): { applied: number; lost: number }
}

interface Parts {
  database: Database
  breaker: Breaker
  log: Logger
}

const retries = 3

/** One transaction at a time; records that come meanwhile go together in the next. */
export function createDirectWriter({ database, breaker, log }: Parts): DirectWriter {
  const totals = { applied: 0, lost: 0 }
  let waiting: Buffer[] = []
  let next: Promise<void> | undefined
  let running: Promise<void> = Promise.resolve()

  const flush = async (): Promise<void> => {
    next = undefined
    const bytes = Buffer.concat(waiting)
    waiting = []
    const { clicks } = decodeClicks(bytes, Number.POSITIVE_INFINITY, true)
    const lose = () => (totals.lost += clicks.targets.length)
    if (!breaker.mayTry()) return void lose()
    for (let attempt = 1; ; attempt++) {
      try {
        const applied = await database.transactionAs(
          { role: 'hoplet_visits', statementTimeout: 1_000 },
          (db) => applyClicks(db, clicks),
        )
        breaker.succeeded()
        totals.applied += applied.counted
        return
      } catch (error) {
        if (isConflict(error) && attempt < retries) continue
        if (error instanceof DatabaseUnavailableError) breaker.failed()
        log.error({ err: error, clicks: clicks.targets.length }, 'clicks were lost')
        return void lose()
      }
    }
  }

  return {
    write(records) {
      // The caller's buffer is used again.
      waiting.push(Buffer.from(records))
      next ??= running = running.then(flush)
      return next
    },
    status: () => ({ ...totals }),
  }
}

/** Deadlock or serialization failure: the transaction left nothing, so it may run again. */
function isConflict(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001')
  )
}
