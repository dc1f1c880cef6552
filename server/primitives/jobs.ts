import type { Logger } from '../log.ts'
import { type PeriodicJob, startPeriodicJob } from './periodic-job.ts'

export type Jobs = ReturnType<typeof createJobs>

interface Every {
  /** From the start of one run to the start of the next. */
  everyMs: number
  /** When the first run starts; default: after `everyMs`. */
  firstRunMs?: number
}

/**
 * The periodic jobs of a server. Of its processes only one has their timers (decision 0005); the others run one when it is
 * asked for.
 */
export function createJobs({ log, areTimed = true }: { log: Logger; areTimed?: boolean }) {
  const jobs: PeriodicJob[] = []
  return {
    areTimed,
    /** @param name is in the log line of a failure */
    add(name: string, { everyMs, firstRunMs }: Every, work: () => Promise<unknown>): PeriodicJob {
      const job = startPeriodicJob({
        name,
        intervalMs: everyMs,
        ...(firstRunMs !== undefined && { firstRunMs }),
        isScheduled: areTimed,
        log,
        work,
      })
      jobs.push(job)
      return job
    },
    /** Stops the timers and waits for the runs in progress. */
    async close(): Promise<void> {
      await Promise.all(jobs.map((job) => job.close()))
    },
  }
}
