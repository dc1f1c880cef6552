import { randomUUID } from 'node:crypto'
import type { Counting } from './counting.ts'
import type { CountingPort, FromCounting } from './messages.ts'

/** Connects this process with a counting in the same thread. */
export function connectHere(counting: Counting): CountingPort {
  const journal = randomUUID()
  const listeners: ((message: FromCounting) => void)[] = []
  const receive = counting.connect(journal, (message) => {
    for (const listener of listeners) listener(message)
  })
  return {
    journal,
    send: receive,
    on: (listener) => void listeners.push(listener),
    close: counting.close,
  }
}
