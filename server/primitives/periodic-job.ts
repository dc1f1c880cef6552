import type { Logger } from '../log.ts'

export interface PeriodicJob {
  /** Runs now, or joins the run in progress. Never rejects: failures are logged. */
  run(): Promise<void>
  /** Stops the timers and waits for the run in progress. */
  close(): Promise<void>
}

interface PeriodicJobOptions {
  /** Names the job in the log line of a failure. */
  name: string
  /** From the start of one run to the start of the next; a tick during a run is skipped. */
  intervalMs: number
  /** When the first run starts; without it, after `intervalMs`. */
  firstRunMs?: number
  /** False: runs only when asked, because another process has the timer. */
  isScheduled?: boolean
  log: Logger
  work: () => Promise<unknown>
}

/** Repeats `work`, never two runs at once in this process. The timers do not keep the process alive. */
export function startPeriodicJob(options: PeriodicJobOptions): PeriodicJob {
  const { name, intervalMs, firstRunMs, isScheduled = true, log, work } = options
  let running: Promise<void> | undefined
  const attempt = async () => {
    try {
      await work()
    } catch (error) {
      log.warn({ err: error, job: name }, 'periodic job failed')
    }
  }
  const run = () => (running ??= attempt().finally(() => (running = undefined)))
  const timers = isScheduled ? [setInterval(() => void run(), intervalMs)] : []
  if (isScheduled && firstRunMs !== undefined) timers.push(setTimeout(() => void run(), firstRunMs))
  for (const timer of timers) timer.unref()
  return {
    run,
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await running
    },
  }
}
