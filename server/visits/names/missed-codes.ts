import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'

interface MissedCodesDeps {
  database: Database
  log: Logger
  /** Codes in memory; default: 5,000, which take about 1 MB. */
  maxCodes?: number
}

const flushMs = 60_000

/**
 * Counts visits to codes that do not exist, in the memory of this process; adds them to the database each minute, and when
 * memory is full. Visits to further codes are not counted until then.
 */
export function createMissedCodes({ database, log, maxCodes = 5_000 }: MissedCodesDeps) {
  let visits = new Map<string, number>()

  const add = (code: string, count: number) => {
    const known = visits.get(code)
    if (known !== undefined || visits.size < maxCodes) visits.set(code, (known ?? 0) + count)
  }
  const flush = async () => {
    if (visits.size === 0) return
    const flushed = visits
    visits = new Map()
    try {
      await queryAs(
        database,
        { role: 'hoplet_visits', statementTimeout: 10_000 },
        'select app.add_missed_visits($1)',
        [JSON.stringify(Object.fromEntries(flushed))],
      )
    } catch (error) {
      for (const [code, count] of flushed) add(code, count)
      throw error
    }
  }
  const job = startPeriodicJob(log, 'missed codes', { everyMs: flushMs }, flush)
  let flushedEarlyAt = Number.NEGATIVE_INFINITY

  return {
    count(code: string): void {
      add(code, 1)
      if (visits.size < maxCodes || performance.now() - flushedEarlyAt < 1_000) return
      flushedEarlyAt = performance.now()
      void job.run()
    },
    /** Adds the counted visits to the database; failures are logged, and the visits wait for the next time. */
    flush: job.run,
    async close(): Promise<void> {
      await job.close()
      await job.run()
    },
  }
}
