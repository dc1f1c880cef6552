import { setTimeout as sleep } from 'node:timers/promises'
import { type Family, merge } from '../metrics/families.ts'
import type { ReadMetrics } from '../metrics/metrics.ts'
import type { WorkerProcess } from './worker-process.ts'

interface PooledMetricsOptions {
  /** Those of the primary. */
  own: ReadMetrics
  workers: () => Iterable<WorkerProcess>
}

export type PooledMetrics = ReturnType<typeof createPooledMetrics>

/** A worker that does not answer in time is missing; Prometheus waits ten seconds. */
const answerTimeoutMs = 4_000

/** The metrics of all processes as those of one server. Counts of ended workers stay in the sums. */
export function createPooledMetrics({ own, workers }: PooledMetricsOptions) {
  /** The last message of each worker. */
  const last = new Map<WorkerProcess, Family[]>()
  const askers = new Map<WorkerProcess, (() => void)[]>()
  /** The counters of workers that have ended. */
  let past: Promise<Family[]> = Promise.resolve([])

  const ask = async (worker: WorkerProcess): Promise<void> => {
    const answered = new Promise<void>((resolve) => {
      askers.set(worker, [...(askers.get(worker) ?? []), resolve])
    })
    worker.send({ kind: 'measure' })
    await Promise.race([answered, worker.ended, sleep(answerTimeoutMs, undefined, { ref: false })])
  }

  return {
    async read(): Promise<Family[]> {
      const asked = [...workers()]
      const [mine] = await Promise.all([own(), ...asked.map(ask)])
      // Read at the same moment: the counts of a worker are in one of them.
      const [before, now] = [past, [...last.values()]]
      return merge([mine, await before, ...now])
    },
    onAnswer(worker: WorkerProcess, families: Family[]): void {
      last.set(worker, families)
      for (const answer of askers.get(worker) ?? []) answer()
      askers.delete(worker)
    },
    onEnd(worker: WorkerProcess): void {
      const counted = last.get(worker)?.filter(({ type }) => type !== 'gauge')
      askers.delete(worker)
      if (!counted) return
      last.delete(worker)
      past = past.then((before) => merge([before, counted]))
    },
  }
}
