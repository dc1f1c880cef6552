import type { Logger } from '../../log.ts'
import { type Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { type PeriodicJob, startPeriodicJob } from '../../primitives/periodic-job.ts'

const intervalMs = 10 * 60_000
const firstRunMs = 60_000
/** Per run: the rest waits for the next one, so that a rebuild leaves room for visitors. */
const maxRollups = 200
/** A day of a million hits takes a few seconds. */
const statementTimeout = 120_000

interface Due extends Record<string, unknown> {
  scope: number
  account: number
  grain: 'd' | 'm'
  day: string
}

/** Puts the days and months that are over into the rollups, each in a transaction of its own. */
export function startRollups({ database, log }: { database: Database; log: Logger }): PeriodicJob {
  const caller = { role: 'hoplet_worker', statementTimeout } as const
  const rollUp = ({ scope, account, grain, day }: Due) =>
    grain === 'd'
      ? queryAs(database, caller, 'select app.roll_up_day($1, $2)', [account, day])
      : queryAs(database, caller, 'select app.roll_up_month($1, $2, $3)', [scope, account, day])
  return startPeriodicJob({
    name: 'click rollups',
    intervalMs,
    firstRunMs,
    log,
    async work() {
      const due = await queryAs<Due>(
        database,
        caller,
        'select scope, account, grain, day::text from app.due_rollups($1)',
        [maxRollups],
      )
      for (const each of due) await rollUp(each)
      if (due.length > 0) log.debug({ rollups: due.length }, 'clicks were rolled up')
    },
  })
}
