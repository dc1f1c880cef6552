import type Stripe from 'stripe'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { type Actions, createActions } from './actions.ts'
import { answerCall } from './api.ts'
import { createDelivery, type Deliver } from './delivery.ts'

/**
 * A provider of payments for trying things out and for tests: it answers the calls of the official `stripe` package
 * as Stripe does, makes the same events, and has a checkout and a portal page. No money moves.
 */
export interface Sandbox {
  /** For `Stripe.createFetchHttpClient`. */
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Where events go from now on, one after the other; one that throws is delivered again later. */
  onEvent(deliver: Deliver): void
  /** What people do on the pages, and what befalls them. */
  actions: Actions
  /** Waits until every event made so far was tried once. */
  settle(): Promise<void>
  close(): Promise<void>
}

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
  return {
    fetch: (url, init = {}) =>
      answerCall(
        { database, secretKey },
        url instanceof Request ? url.url : String(url),
        init,
        handOn,
      ),
    onEvent: (deliver) => delivery.start(deliver),
    actions: createActions(database, handOn),
    settle: () => delivery.settle(),
    close: () => delivery.close(),
  }
}
