import type { Logger } from '../log.ts'
import { type PeriodicJob, startPeriodicJob } from '../primitives/periodic-job.ts'
import type { Database } from './database.ts'

const intervalMs = 10 * 60_000
const firstRunMs = 60_000
/** Small enough that a batch holds its locks for well under a second. */
const batchRows = 5_000
/** Per rule and run: what is left waits for the next run, so that a large backlog leaves room for visitors. */
const maxBatches = 200

interface Rule {
  name: string
  /** Deletes up to `$1` rows and answers with their number as `deleted`. */
  text: string
  values?: unknown[]
}

function rulesFor(clickRetentionDays: number): Rule[] {
  return [
    {
      name: 'click events',
      // The oldest ids first: no index by time is needed, and a batch never reads more than it may delete.
      text: `with old as materialized (select id from app.click_events order by id limit $1),
          gone as (delete from app.click_events e using old
            where e.id = old.id and e.at < now() - make_interval(days => $2) returning 1)
        select count(*)::int as deleted from gone`,
      values: [clickRetentionDays],
    },
    { name: 'held names', text: 'select app.end_old_holds($1)::int as deleted' },
    { name: 'audit log', text: 'select app.forget_old_audit($1)::int as deleted' },
    {
      name: 'abuse reports',
      text: `with gone as (delete from app.abuse_reports r where r.id in (
            select o.id from app.abuse_reports o where o.created_at < now() - interval '1 year'
            order by o.created_at, o.id limit $1) returning 1)
        select count(*)::int as deleted from gone`,
    },
    {
      name: 'AI usage',
      text: `with gone as (delete from app.ai_usage u where (u.user_id, u.day) in (
            select o.user_id, o.day from app.ai_usage o where o.day < app.today() - 31 limit $1) returning 1)
        select count(*)::int as deleted from gone`,
    },
  ]
}

interface RetentionDeps {
  database: Database
  log: Logger
  clickRetentionDays: number
}

/**
 * Deletes what has passed its time (docs/data-growth.md), in batches of their own transactions. Several servers on one
 * database may do it at once.
 */
export function startRetention({ database, log, clickRetentionDays }: RetentionDeps): PeriodicJob {
  const deleteBatch = async ({ text, values = [] }: Rule): Promise<number> => {
    const { rows } = await database.transactionAs(
      { role: 'hoplet_worker', statementTimeout: 30_000 },
      (db) => db.query<{ deleted: number }>(text, [batchRows, ...values]),
    )
    return rows[0]?.deleted ?? 0
  }
  return startPeriodicJob({
    name: 'retention',
    intervalMs,
    firstRunMs,
    log,
    work: async () => {
      for (const rule of rulesFor(clickRetentionDays)) {
        let deleted = 0
        for (let batch = 0; batch < maxBatches; batch++) {
          const rows = await deleteBatch(rule)
          deleted += rows
          if (rows < batchRows) break
        }
        if (deleted > 0) log.info({ rule: rule.name, rows: deleted }, 'old rows deleted')
      }
    },
  })
}
