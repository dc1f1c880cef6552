import cluster, { type Worker } from 'node:cluster'
import type { ToPrimary, ToWorker } from './messages.ts'
import { handleMessage } from '../primitives/handle-message.ts'

/** A worker, as the primary sees it. */
export interface WorkerProcess {
  number: number
  /** The name of its journal's folder. */
  journal: string
  /** Rejects when it ends before it is ready. */
  ready: Promise<void>
  /** Resolves when the process is gone, with how it ended, in words. */
  ended: Promise<string>
  readonly isReady: boolean
  readonly hasEnded: boolean
  /** For how long it has been ready, in milliseconds; 0 if it never was. */
  readonly servedMs: number
  /** Seconds since its last report; undefined before the first one. */
  silentSeconds: number | undefined
  send(message: ToWorker): void
  kill(): void
}

/** Starts a worker and its server. */
export function forkWorker(
  start: Extract<ToWorker, { kind: 'start' }>,
  onMessage: (worker: WorkerProcess, message: ToPrimary) => void,
): WorkerProcess {
  const child = cluster.fork()
  closeWithWorker(child)
  let failure: string | undefined
  let hasEnded = false
  let readyAt = Number.POSITIVE_INFINITY
  /** Messages for a process that does not listen yet. */
  let early: ToWorker[] | undefined = [start]
  // One that is ending gets no more messages; its end is noticed anyway.
  const deliver = (message: ToWorker) => void (child.isConnected() && child.send(message, () => {}))
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      failure ??= error.message
      // There is no exit of a process that could not be started.
      if (child.process.pid === undefined) resolve(error.message)
    })
    child.once('exit', (code: number, signal: string | null) =>
      resolve(failure ?? (signal ? `ended by ${signal}` : `ended with code ${code}`)),
    )
  })
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: ToPrimary) => {
      // Its journal has been taken over.
      if (hasEnded) return
      handleMessage(message, {
        failed: ({ message: reason }) => (failure = reason),
        listening() {
          early?.forEach(deliver)
          early = undefined
        },
        ready() {
          readyAt = performance.now()
          resolve()
        },
      })
      onMessage(worker, message)
    })
    void ended.then((how) => {
      hasEnded = true
      reject(new Error(`worker ${start.number} could not start: ${how}`))
    })
  })
  ready.catch(() => {})
  const worker: WorkerProcess = {
    number: start.number,
    journal: start.journal,
    ready,
    ended,
    get isReady() {
      return readyAt < Number.POSITIVE_INFINITY && !hasEnded
    },
    get hasEnded() {
      return hasEnded
    },
    get servedMs() {
      return Math.max(0, performance.now() - readyAt)
    },
    silentSeconds: undefined,
    send(message) {
      if (early) early.push(message)
      else deliver(message)
    },
    kill() {
      child.process.kill('SIGKILL')
    },
  }
  return worker
}

interface Handle {
  close(...args: unknown[]): unknown
}

/**
 * Closes the connection that node:cluster has handed to a worker which died before it took it: node:cluster forgets about
 * it, so its visitor would wait until they give up.
 */
function closeWithWorker(child: Worker): void {
  const handedOver = new Set<Handle>()
  const { send } = child.process
  Object.assign(child.process, {
    send(...args: unknown[]) {
      const [message, handle] = args
      if (isConnection(message) && isHandle(handle)) {
        const { close } = handle
        handedOver.add(handle)
        handle.close = (...rest) => {
          handedOver.delete(handle)
          return Reflect.apply(close, handle, rest)
        }
      }
      return Reflect.apply(send, child.process, args)
    },
  })
  child.once('exit', () => {
    for (const handle of handedOver) handle.close()
  })
}

const isConnection = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'act' in message && message.act === 'newconn'

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' &&
  value !== null &&
  'close' in value &&
  typeof value.close === 'function'
