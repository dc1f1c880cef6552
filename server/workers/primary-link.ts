import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { CountingPort } from '../visits/counting/messages.ts'
import type { Spent, ToPrimary, ToWorker, Visited } from './messages.ts'
import { handleMessage, type MessageHandlers } from '../primitives/handle-message.ts'

/** A worker's end of the channel. When the primary has ended, node:cluster ends the worker at once. */
export function openPrimaryLink() {
  const listeners = new Set<MessageHandlers<ToWorker>>()
  process.on('message', (message: ToWorker) => {
    for (const handlers of listeners) handleMessage(message, handlers)
  })
  const send = (message: ToPrimary) =>
    new Promise<void>((resolve) => {
      if (!process.connected || !process.send) return resolve()
      process.send(message, undefined, undefined, () => resolve())
    })
  const reportSpent = createReports<Spent>((spent) => send({ kind: 'spent', spent }))
  const reportVisited = createReports<Visited>((visited) => send({ kind: 'visited', visited }))
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
    /** Reports tokens that this worker took from a bucket to the others. */
    sendSpent(policy: BucketPolicy, key: string, tokens: number): void {
      reportSpent([policy, key, tokens])
    },
    /** Reports a visitor of this worker to the others. */
    sendVisitor(linkId: string, visitor: number): void {
      reportVisited([linkId, visitor])
    },
  }
}

/** Collects reports: those of one turn of the event loop go together. */
function createReports<Report>(send: (reports: Report[]) => Promise<void>) {
  let waiting: Report[] | undefined
  return (report: Report): void => {
    if (waiting) return void waiting.push(report)
    const batch = (waiting = [report])
    void nextTurn().then(() => {
      waiting = undefined
      return send(batch)
    })
  }
}
