import type { Hono } from 'hono'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { withDeadline } from '../../primitives/deadline.ts'
import { startPeriodicJob } from '../../primitives/periodic-job.ts'
import type { PaymentProvider, ProviderEvent } from '../provider.ts'
import { deliverPlayEvents } from './events.ts'
import { createPlayMoneyPages } from './pages.ts'
import { createPlayMoneyProvider } from './provider.ts'
import { advancePlayClock, inPlayMoney } from './store.ts'

/** Play money: a payment provider with pages, tables and a clock of its own. No real money moves. */
export interface PlayMoney {
  provider: PaymentProvider
  /** The checkout and the portal, to be mounted at `/sandbox`. */
  pages: Hono
  /** Begins to deliver events. */
  start(deliver: (event: ProviderEvent) => Promise<unknown>): void
  close(): Promise<void>
}

const intervalMs = 10_000
/** How long a page waits for the effects of what it did. */
const settleTimeoutMs = 3_000

export function createPlayMoney(database: Database, log: Logger): PlayMoney {
  let deliver: (() => Promise<void>) | undefined
  let queue = Promise.resolve()
  const deliverNow = () => {
    // One after the other; an unavailable database is retried by the job.
    queue = queue.then(() => deliver?.()).catch(() => undefined)
    return queue
  }
  const settle = () => withDeadline(settleTimeoutMs, deliverNow).catch(() => undefined)
  const job = startPeriodicJob({
    name: 'play money',
    intervalMs,
    log,
    async work() {
      await inPlayMoney(database, 'write', (transaction) => advancePlayClock(transaction, 0))
      await deliverNow()
    },
  })
  return {
    provider: createPlayMoneyProvider(database),
    pages: createPlayMoneyPages({ database, settle }),
    start(handle) {
      deliver = () => deliverPlayEvents(database, log, handle)
      void job.run()
    },
    async close() {
      await job.close()
      await queue
    },
  }
}
