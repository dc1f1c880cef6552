import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { CountingPort } from '../visits/counting/messages.ts'
import type { Spent, ToPrimary, ToWorker } from './messages.ts'
import { handleMessage, type MessageHandlers } from '../primitives/handle-message.ts'

/** A worker's end of the channel. When the primary has ended, node:cluster ends the worker at once. */
export function openPrimaryLink() {
  const listeners = new Set<MessageHandlers<ToWorker>>()
  process.on('message', (message: ToWorker) => {
    for (const handlers of listeners) handleMessage(message, handlers)
  })
  let spent: Spent[] | undefined
  const send = (message: ToPrimary) =>
    new Promise<void>((resolve) => {
      if (!process.connected || !process.send) return resolve()
      process.send(message, undefined, undefined, () => resolve())
    })
  return {
    /** Resolves when the message is on its way, or cannot be. */
    send,
    on(handlers: MessageHandlers<ToWorker>): void {
      listeners.add(handlers)
    },
    /** To the counting of the server, which the primary has. */
    countingPort(journal: string): CountingPort {
      return {
        journal,
        send: (message) => void send({ kind: 'counting', message }),
        on: (listener) => void listeners.add({ counting: ({ message }) => listener(message) }),
        // The primary takes over the journal when this process has ended.
        close: async () => {},
      }
    },
    /** Reports tokens that this worker took from a bucket to the others: all of one turn of the event loop together. */
    sendSpent(policy: BucketPolicy, key: string, tokens: number): void {
      const entry: Spent = [policy, key, tokens]
      if (spent) return void spent.push(entry)
      const batch = (spent = [entry])
      void nextTurn().then(() => {
        spent = undefined
        return send({ kind: 'spent', spent: batch })
      })
    },
  }
}
