import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { type PeriodicJob, startPeriodicJob } from '../primitives/periodic-job.ts'

const retryIntervalMs = 60_000

/**
 * Voids what play money has brought about, on a server that no longer plays: its plans fall to free, its commissions are
 * canceled, its accounts are gone. Retried, and repeated for what another process still books.
 */
export function startVoidingPlayMoney(database: Database, log: Logger): PeriodicJob {
  return startPeriodicJob({
    name: 'void play money',
    intervalMs: retryIntervalMs,
    firstRunMs: 0,
    log,
    async work() {
      const { rows } = await database.transactionAs({ role: 'hoplet_billing' }, (db) =>
        db.query<{ plans: number; commissions: number }>(
          'select plans, commissions from app.void_play_money()',
        ),
      )
      const [voided] = rows
      if (voided && voided.plans + voided.commissions > 0)
        log.warn(voided, 'play money is off: its plans fell to free, its commissions are canceled')
    },
  })
}
