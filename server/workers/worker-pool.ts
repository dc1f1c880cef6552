import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import type { ToWorker } from './messages.ts'
import type { WorkerProcess } from './worker-process.ts'

interface WorkerPoolOptions {
  count: number
  /** Starts a process for the place with this number, from 1. */
  fork: (number: number) => WorkerProcess
  /** Called at once when a worker has ended, however it did. */
  onEnd: (worker: WorkerProcess) => void
  log: Logger
}

/** The place of a worker: another one follows when it dies. */
interface Slot {
  number: number
  worker?: WorkerProcess
  /** Is to take the place, once it is ready. */
  successor?: WorkerProcess | undefined
  /** Before the next one is started, in milliseconds. */
  pauseMs: number
}

const firstPauseMs = 100
const maxPauseMs = 30_000
/** After a worker that served for so long, the next one starts with the shortest pause. */
const provenMs = 10_000
/** How long a worker that was replaced waits for the next request of each client, to tell it that the connection ends. */
const retireMs = 3_000
/** Longer than an orderly end takes: 10 s for requests, 10 s for emails. */
const stopTimeoutMs = 25_000

/** Keeps `count` workers running. */
export function createWorkerPool({ count, fork, onEnd, log }: WorkerPoolOptions) {
  const slots: Slot[] = Array.from({ length: count }, (_, i) => ({
    number: i + 1,
    pauseMs: firstPauseMs,
  }))
  const alive = new Set<WorkerProcess>()
  const closing = new AbortController()
  let isDraining = false
  let deaths = 0
  let restarting: Promise<void> | undefined

  const sendToAll = (message: ToWorker, except?: WorkerProcess) => {
    for (const worker of alive) if (worker !== except) worker.send(message)
  }
  const forkFor = (slot: Slot): WorkerProcess => {
    const worker = fork(slot.number)
    alive.add(worker)
    if (isDraining) worker.send({ kind: 'drain' })
    void worker.ended.then((how) => {
      alive.delete(worker)
      try {
        onEnd(worker)
      } catch (error) {
        log.error({ err: error, worker: slot.number }, 'the end of a worker was not handled')
      }
      if (slot.worker === worker) void replaceDead(slot, how)
    })
    return worker
  }
  const replaceDead = async (slot: Slot, how: string) => {
    const dead = slot.worker
    if (closing.signal.aborted || slot.successor) return
    if (dead && dead.servedMs >= provenMs) slot.pauseMs = firstPauseMs
    const { pauseMs } = slot
    slot.pauseMs = Math.min(pauseMs * 2, maxPauseMs)
    deaths++
    log.error({ worker: slot.number, how, pauseMs }, 'a worker died: replacing it')
    await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
    if (slot.worker === dead && !slot.successor && !closing.signal.aborted)
      slot.worker = forkFor(slot)
  }
  /** False: the successor did not get ready, and the former one goes on. */
  const succeed = async (slot: Slot): Promise<boolean> => {
    const former = slot.worker
    const successor = (slot.successor = forkFor(slot))
    try {
      await successor.ready
    } catch (error) {
      log.error({ err: error, worker: slot.number }, 'a worker was not replaced')
      slot.successor = undefined
      if (former?.hasEnded) void replaceDead(slot, 'it died before it was replaced')
      return false
    }
    slot.worker = successor
    slot.successor = undefined
    former?.send({ kind: 'stop', graceMs: retireMs })
    await former?.ended
    return true
  }
  const succeedAll = async () => {
    log.info('replacing the workers')
    for (const slot of slots) if (closing.signal.aborted || !(await succeed(slot))) return
    log.info('the workers were replaced')
  }

  return {
    /** @throws {Error} when a worker ends before it is ready; then call `stop` */
    async start(): Promise<void> {
      // The first one alone: a problem is logged once.
      for (const group of [slots.slice(0, 1), slots.slice(1)])
        await Promise.all(group.map((slot) => (slot.worker = forkFor(slot)).ready))
    },
    /** Those that run, also while they start or end. */
    workers: (): ReadonlySet<WorkerProcess> => alive,
    sendToAll,
    processes: () => ({
      configured: count,
      ready: [...alive].filter(({ isReady }) => isReady).length,
      deaths,
    }),
    /** Replaces the workers one by one; joins the replacement in progress. Never rejects. */
    restart: () => (restarting ??= succeedAll().finally(() => (restarting = undefined))),
    drain() {
      isDraining = true
      sendToAll({ kind: 'drain' })
    },
    /** Resolves when all workers have ended. @param graceMs for requests that are on their way */
    async stop(graceMs = 0): Promise<void> {
      closing.abort()
      sendToAll({ kind: 'stop', graceMs })
      const killing = setTimeout(() => {
        for (const worker of alive) worker.kill()
      }, stopTimeoutMs)
      await Promise.all([...alive].map(({ ended }) => ended))
      clearTimeout(killing)
    },
  }
}
