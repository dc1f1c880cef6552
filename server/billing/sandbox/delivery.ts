import type Stripe from 'stripe'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { find, runWork, save, select } from './work.ts'

/** Hands an event to the webhook; throws when it was not taken. */
export type Deliver = (event: Stripe.Event) => Promise<void>

export interface Delivery {
  /** Takes over what was not delivered when the process ended last. */
  start(deliver: Deliver): void
  add(events: Stripe.Event[]): void
  /** Waits until everything known by now was tried once. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** How long to wait after each failure, in milliseconds; then the event stays where `GET events` finds it. */
const waits = [1_000, 5_000, 30_000, 120_000, 600_000, 3_600_000]
const memory = 3 * 86_400

/** Delivers events one after the other as they were made, and those that failed again later. */
export function createDelivery(database: Database, log: Logger): Delivery {
  let deliver: Deliver | undefined
  let closed = false
  let line: Promise<void> = Promise.resolve()
  const timers = new Set<NodeJS.Timeout>()
  /** Made by this process: whoever reads what was left from before must not deliver them as well. */
  const added = new Set<string>()
  let resumed = false

  const enqueue = (event: Stripe.Event, failures: number) => {
    line = line.then(() => attempt(event, failures))
  }

  async function attempt(event: Stripe.Event, failures: number): Promise<void> {
    if (!deliver || closed) return
    try {
      await deliver(event)
      await runWork(database, 'write', async (work) => {
        const stored = await find(work, 'event', event.id)
        if (stored) await save(work, { ...stored, pending_webhooks: 0 })
      })
    } catch (error) {
      const wait = waits[failures]
      log.warn({ err: error, event: event.id, type: event.type, wait }, 'sandbox event not taken')
      if (wait === undefined) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        enqueue(event, failures + 1)
      }, wait).unref()
      timers.add(timer)
    }
  }

  async function resume(): Promise<void> {
    try {
      const { result } = await runWork(database, 'read', (work) =>
        select(work, 'event', {
          like: { pending_webhooks: 1 },
          created: { gte: work.now - memory },
          limit: 1_000,
        }),
      )
      for (const event of result.reverse()) if (!added.has(event.id)) await attempt(event, 0)
      resumed = true
      added.clear()
    } catch (error) {
      log.warn({ err: error }, 'sandbox events of before could not be read')
    }
  }

  return {
    start(to) {
      deliver = to
      line = line.then(resume)
    },
    add(events) {
      for (const event of events) {
        if (!resumed) added.add(event.id)
        enqueue(event, 0)
      }
    },
    async settle() {
      await line
    },
    async close() {
      closed = true
      for (const timer of timers) clearTimeout(timer)
      await line
    },
  }
}
