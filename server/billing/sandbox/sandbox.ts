import type { Hono } from 'hono'
import type Stripe from 'stripe'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { type Actions, createActions } from './actions.ts'
import { answerCall } from './api.ts'
import { createDelivery, type Deliver } from './delivery.ts'
import { createSandboxPages } from './pages.ts'

/**
 * A provider of payments for trying things out and for tests: it answers the calls of the official `stripe` package
 * as Stripe does, makes the same events, and has a checkout and a portal page. No money moves.
 */
export interface Sandbox {
  /** For `Stripe.createFetchHttpClient`. */
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Where events go from now on, one after the other; one that throws is delivered again later. */
  onEvent(deliver: Deliver): void
  /** The checkout and the portal, to be mounted at `/sandbox`. */
  pages: Hono
  /** What people do on the pages, and what befalls them. */
  actions: Actions
  /** Waits until every event made so far was tried once. */
  settle(): Promise<void>
  close(): Promise<void>
}

/** How long a page waits for what it did to show; then it goes on without. */
const patience = 3_000

/** The key that the sandbox answers to. */
export const sandboxKey = 'sk_test_sandbox'

export function createSandbox({
  database,
  log,
  secretKey = sandboxKey,
}: {
  database: Database
  log: Logger
  secretKey?: string
}): Sandbox {
  const delivery = createDelivery(database, log)
  const handOn = (events: Stripe.Event[]) => delivery.add(events)
  const actions = createActions(database, handOn)
  // Time also passes by itself: what falls due is looked for now and then.
  let catching = Promise.resolve()
  const catchUp = () =>
    (catching = actions
      .advanceBy(0)
      .catch((error: unknown) => log.warn({ err: error }, 'the sandbox could not catch up')))
  const timer = setInterval(() => void catchUp(), 600_000).unref()
  return {
    fetch: (url, init = {}) =>
      answerCall(
        { database, secretKey },
        url instanceof Request ? url.url : String(url),
        init,
        handOn,
      ),
    onEvent(deliver) {
      delivery.start(deliver)
      void catchUp()
    },
    pages: createSandboxPages({
      database,
      actions,
      settle: () => within(delivery.settle(), patience),
    }),
    actions,
    settle: () => delivery.settle(),
    async close() {
      clearInterval(timer)
      await catching
      await delivery.close()
    },
  }
}

function within(work: Promise<void>, milliseconds: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
