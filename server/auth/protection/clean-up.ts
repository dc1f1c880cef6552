import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { type PeriodicJob, startPeriodicJob } from '../../primitives/periodic-job.ts'
import sql from './clean-up.sql?raw'

const statements = sql.trimEnd().split(/;\n+/).filter(Boolean)

/** Removes expired rows every ten minutes. Several servers on one database may do it at once. */
export function startCleanUp({ database, log }: { database: Database; log: Logger }): PeriodicJob {
  return startPeriodicJob({
    name: 'removal of expired auth rows',
    intervalMs: 10 * 60_000,
    firstRunMs: 30_000,
    log,
    async work() {
      for (const statement of statements) {
        await database.transactionAs({ role: 'hoplet_auth', statementTimeout: 60_000 }, (db) =>
          db.query(statement),
        )
      }
    },
  })
}
