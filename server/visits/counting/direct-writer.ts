import type { Logger } from '../../log.ts'
import type { ClickMemory } from './click-log.ts'
import {
  batchesOf,
  createDirectBatches,
  type DirectBatch,
  type DirectBatchDeps,
} from './direct-batches.ts'

interface DirectWriterDeps extends DirectBatchDeps {
  log: Logger
}

/** Maximum of records that wait in memory for the database. */
const maxKeptBytes = 16 * 1024 ** 2
const retryMs = 1_000

/**
 * Counts clicks in the database while their visitors wait: for CLICK_MODE=sync, and while the journal fails. Writes one
 * batch at a time; records that arrive in the meantime go into the next batch together.
 *
 * @param memory of the click log, if there is one: where clicks go that are still in memory at the end
 */
export function createDirectWriter(
  deps: DirectWriterDeps,
  memory: () => ClickMemory | undefined = () => undefined,
) {
  const batches = createDirectBatches(deps)
  const queue: DirectBatch[] = []
  let lost = 0
  let incoming: Buffer[] = []
  let noted = 0
  let next: Promise<void> | undefined
  let running: Promise<void> = Promise.resolve()
  let retryTimer: NodeJS.Timeout | undefined
  /** Everything that came before this time is done with. */
  let emptyAt = performance.now()
  let isFlushing = false
  const isIdle = () => !isFlushing && incoming.length === 0 && queue.length === 0

  const lose = (batch: DirectBatch, error: unknown) => {
    lost += batch.clicks
    deps.log.error({ err: error, clicks: batch.clicks }, 'clicks were lost')
  }

  /** False: it stays in memory for a retry. */
  const applyOrLose = async (batch: DirectBatch): Promise<boolean> => {
    try {
      return await batches.apply(batch)
    } catch (error) {
      lose(batch, error)
      return true
    }
  }

  const flush = async (): Promise<void> => {
    next = undefined
    isFlushing = true
    const startedAt = performance.now()
    const wasKeeping = retryTimer !== undefined
    clearTimeout(retryTimer)
    retryTimer = undefined
    queue.push(...batchesOf(incoming))
    incoming = []
    while (queue[0] && (await applyOrLose(queue[0]))) queue.shift()
    let keptBytes = queue.reduce((sum, { bytes }) => sum + bytes.length, 0)
    while (keptBytes > maxKeptBytes) {
      const newest = queue.pop()
      if (!newest) break
      keptBytes -= newest.bytes.length
      lose(newest, undefined)
    }
    note()
    isFlushing = false
    if (queue.length === 0) emptyAt = startedAt
    if (queue.length > 0) {
      retryTimer = setTimeout(() => void schedule(), retryMs)
      if (!wasKeeping)
        deps.log.error('clicks are kept in memory only, because the database does not accept them')
    } else if (wasKeeping)
      deps.log.info('the clicks that were kept in memory are in the database now')
  }
  /** For the next start, should this process be killed. */
  const note = () => {
    const clicks = queue.reduce((sum, batch) => sum + batch.clicks, 0)
    if (clicks !== noted) memory()?.recordUnsafe((noted = clicks))
  }
  const schedule = () => (next ??= running = running.then(flush))

  return {
    /** Resolves when the records are counted, or kept in memory for a retry; never rejects. */
    write(records: Buffer): Promise<void> {
      // A copy, because the caller uses its buffer again.
      if (isIdle()) emptyAt = performance.now()
      incoming.push(Buffer.from(records))
      return schedule()
    },
    status: () => ({
      applied: batches.applied(),
      lost,
      /** How long the oldest record has waited, at most. */
      waitingMs: isIdle() ? 0 : Math.ceil(performance.now() - emptyAt),
    }),
    /** Retries the records in memory once. Those that fail again go into the click log, or are lost and logged. */
    async close() {
      await schedule()
      clearTimeout(retryTimer)
      // The first one may be in the database, its answer lost: the file has the id of its mark, which will tell.
      let start = queue[0] && { id: queue[0].id, base: undefined }
      while (queue[0] && memory()?.keep(queue[0].bytes, start)) {
        queue.shift()
        start = undefined
      }
      note()
      for (const batch of queue.splice(0)) lose(batch, undefined)
      await batches.close()
    },
  }
}
