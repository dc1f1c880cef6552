import { randomUUID } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Config } from '../../config.ts'
import type { CountingPort, FromCounting, ToCounting } from './messages.ts'

export interface CountingThreadData {
  config: Config & { databaseUrl: string }
  keyId: string
  /** The folder of the journal of the process. */
  journal: string
}

/** `close`: the process writes no more. The thread ends when the rest is applied. */
export type ToThread = ToCounting | 'close'

/**
 * Starts a thread that counts the clicks of this process, away from the event loop that answers visits. An error that
 * it does not catch ends the process.
 *
 * @param file the built thread.ts
 */
export async function startCountingThread(
  file: string,
  data: Omit<CountingThreadData, 'journal'>,
): Promise<CountingPort> {
  const journal = randomUUID()
  const thread = new Worker(file, { workerData: { ...data, journal } })
  const listeners: ((message: FromCounting) => void)[] = []
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    thread.on('error', (error) => {
      reject(error)
      // Without a listener for it, an error ends the process; so it does here once the thread was ready.
      if (isReady) throw error
    })
    let isReady = false
    thread.on('message', (message: FromCounting | 'ready') => {
      if (message === 'ready') {
        isReady = true
        resolve()
      } else for (const listener of listeners) listener(message)
    })
  })
  const send = (message: ToThread) => thread.postMessage(message)
  return {
    journal,
    send,
    on: (listener) => void listeners.push(listener),
    async close() {
      send('close')
      await ended
    },
  }
}
