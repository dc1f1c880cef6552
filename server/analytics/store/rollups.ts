import type { Logger } from '../../log.ts'
import type { HitReaders } from '../reports/hit-reader.ts'
import { type Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import type { Jobs, PeriodicJob } from '../../primitives/jobs.ts'
import { skipFailed } from '../skip-failed.ts'

const intervalMs = 10 * 60_000
const firstRunMs = 60_000
/** Per run: the rest waits for the next one, so that a rebuild leaves room for visitors. */
const maxRollups = 200
/** A day of a million hits takes a few seconds, a month of a hundred million some minutes. */
const statementTimeout = 30 * 60_000

interface Due extends Record<string, unknown> {
  account: number
  grain: 'd' | 'm'
  day: string
  in_clickhouse: boolean
  /** Microseconds since 1970; null for months. */
  from_micros: string
  to_micros: string
}

/** Puts the days and months that are over into the rollups, each in a separate transaction. */
export function startRollups({
  database,
  log,
  jobs,
  readers: { clickhouse },
}: {
  database: Database
  log: Logger
  readers: Pick<HitReaders, 'clickhouse'>
  jobs: Jobs
}): PeriodicJob {
  const caller = { role: 'hoplet_worker', statementTimeout } as const
  const rollUp = async ({ account, grain, day, ...span }: Due): Promise<void> => {
    if (!span.in_clickhouse) {
      await queryAs(database, caller, 'select app.roll_up($1, $2, $3)', [account, grain, day])
      return
    }
    if (!clickhouse) return
    const [from, to] = [Number(span.from_micros), Number(span.to_micros)]
    const totals = JSON.stringify(await clickhouse.totals(account, { from, to }))
    const values = [account, day, totals]
    await queryAs(database, caller, 'select app.roll_up_totals($1, $2, $3)', values)
  }
  return jobs.add('click rollups', { everyMs: intervalMs, firstRunMs }, async () => {
    const due = await queryAs<Due>(
      database,
      caller,
      'select account, grain, day::text, in_clickhouse, from_micros, to_micros from app.due_rollups($1)',
      [maxRollups],
    )
    for (const each of due) {
      const { account, grain, day } = each
      const message = 'clicks could not be rolled up'
      await rollUp(each).catch(skipFailed(log, { account, grain, day }, message))
    }
    if (due.length > 0) log.debug({ rollups: due.length }, 'clicks were rolled up')
  })
}
