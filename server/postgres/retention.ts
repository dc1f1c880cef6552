import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Jobs, PeriodicJob } from '../primitives/jobs.ts'
import type { Database } from './database.ts'
import app from './retention/app.sql?raw'
import auth from './retention/auth.sql?raw'
import billing from './retention/billing.sql?raw'
import type { Role } from './roles.ts'

/** Deletions by role. A statement that returns `deleted` says itself how many rows that were. */
const files: readonly [Role, string][] = [
  ['hoplet_worker', app],
  ['hoplet_auth', auth],
  ['hoplet_billing', billing],
]
const intervalMs = 10 * 60_000
const firstRunMs = 30_000
/** Small enough that a batch holds its locks for well under a second. */
const batchRows = 5_000
/** Per statement and run: the rest waits for the next run, so that a large backlog leaves room for visitors. */
const maxBatches = 200

interface RetentionDeps {
  database: Database
  log: Logger
  config: Pick<Config, 'auth' | 'clickRetentionDays' | 'checkLinks'>
  jobs: Jobs
}

/**
 * Deletes rows after their retention (docs/data-growth.md), in batches, each in a separate transaction. Several servers on one
 * database may do it at once.
 */
export function startRetention({ config, database, log, jobs }: RetentionDeps): PeriodicJob {
  const rules = files.flatMap(([role, sql]) =>
    sql
      .replaceAll('{rows}', String(batchRows))
      .replaceAll('{sessionIdleDays}', String(config.auth.sessionIdleDays))
      .replaceAll('{checkDays}', config.checkLinks ? '90' : '0')
      .replaceAll('{clickDays}', JSON.stringify(config.clickRetentionDays))
      .trimEnd()
      .split(/;\n+/)
      .map((text) => ({ role, text })),
  )
  const deleteBatch = ({ role, text }: (typeof rules)[number]): Promise<number> =>
    database.transactionAs({ role, statementTimeout: 60_000 }, async (db) => {
      const { rows, rowCount } = await db.query<{ deleted: string }>(text)
      return Number(rows[0]?.deleted ?? rowCount)
    })
  const deleteOld = async (rule: (typeof rules)[number]): Promise<void> => {
    let deleted = 0
    for (let batch = 0; batch < maxBatches; batch++) {
      const rows = await deleteBatch(rule)
      deleted += rows
      if (rows < batchRows) break
    }
    if (deleted > 0) log.info({ statement: rule.text, rows: deleted }, 'old rows deleted')
  }
  return jobs.add('retention', { everyMs: intervalMs, firstRunMs }, async () => {
    for (const rule of rules)
      await deleteOld(rule).catch((error: unknown) =>
        log.warn({ err: error, statement: rule.text }, 'old rows could not be deleted'),
      )
  })
}
