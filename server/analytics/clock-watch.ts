import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Jobs, PeriodicJob } from '../primitives/jobs.ts'
import { recordIncident } from './incidents.ts'
import type { RecentClocks } from './recent-clocks.ts'

const intervalMs = 1_000
/** Time synchronization makes smaller steps. */
const minStepMs = 60_000
/** Steps that wait for the database; more are not kept. */
const maxWaiting = 20

/**
 * Notices when the clock was set: hits have its time. A machine that was suspended looks the same, because the monotonic
 * clock stands still meanwhile.
 */
export function startClockWatch({
  database,
  log,
  jobs,
  clocks,
}: {
  database: Database
  log: Logger
  jobs: Jobs
  clocks: RecentClocks
}): PeriodicJob {
  const waiting: number[] = []
  let last = clocks.read()
  return jobs.add('clock watch', { everyMs: intervalMs }, async () => {
    const now = clocks.read()
    const stepMs = now - last
    last = now
    if (Math.abs(stepMs) > minStepMs && waiting.length < maxWaiting) {
      const seconds = Math.round(stepMs / 1_000)
      log.warn({ seconds }, 'the clock of this machine was set')
      waiting.push(seconds)
    }
    for (let seconds = waiting[0]; seconds !== undefined; seconds = waiting[0]) {
      try {
        await recordIncident(database, { kind: 'clock', seconds })
      } catch (error) {
        log.debug({ err: error }, 'a step of the clock is not recorded yet')
        return
      }
      waiting.shift()
    }
  })
}
