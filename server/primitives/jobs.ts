import type { Logger } from '../log.ts'

export interface PeriodicJob {
  /** Runs now, or joins the run in progress. Never rejects: failures are logged. */
  run(): Promise<void>
  /** Stops the timers and waits for the run in progress. */
  close(): Promise<void>
}

interface Timing {
  /** From the start of one run to the start of the next; a tick during a run is skipped. */
  everyMs: number
  /** When the first run starts; default: after `everyMs`. */
  firstRunMs?: number
  /** False: runs only when asked, because another process has the timer. */
  isTimed?: boolean
}

/**
 * Repeats `work`, never two runs at once in this process. The timers do not keep the process alive.
 *
 * @param name is in the log line of a failure
 */
export function startPeriodicJob(
  log: Logger,
  name: string,
  { everyMs, firstRunMs, isTimed = true }: Timing,
  work: () => Promise<unknown>,
): PeriodicJob {
  let running: Promise<void> | undefined
  const attempt = async () => {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error, job: name }, 'periodic job failed')
    }
  }
  const run = () => (running ??= attempt().finally(() => (running = undefined)))
  const timers = isTimed ? [setInterval(() => void run(), everyMs)] : []
  if (isTimed && firstRunMs !== undefined) timers.push(setTimeout(() => void run(), firstRunMs))
  for (const timer of timers) timer.unref()
  return {
    run,
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await running
    },
  }
}

export type Jobs = ReturnType<typeof createJobs>

/**
 * The periodic jobs of a server. Of its processes only one has their timers (decision 0005); the others run one when it is
 * asked for.
 */
export function createJobs({ log, areTimed = true }: { log: Logger; areTimed?: boolean }) {
  const jobs: PeriodicJob[] = []
  return {
    areTimed,
    add(name: string, timing: Timing, work: () => Promise<unknown>): PeriodicJob {
      const job = startPeriodicJob(log, name, { ...timing, isTimed: areTimed }, work)
      jobs.push(job)
      return job
    },
    /** Stops the timers and waits for the runs in progress. */
    async close(): Promise<void> {
      await Promise.all(jobs.map((job) => job.close()))
    },
  }
}
