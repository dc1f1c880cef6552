import pg from 'pg'
import type Stripe from 'stripe'
import { type Actions, createActions } from './actions.ts'
import { answerCall } from './api.ts'
import { createTables } from './work.ts'

/** Stands in for Stripe: answers the calls of the official `stripe` package and makes the same events. */
export interface StripeStandIn {
  /** For `Stripe.createFetchHttpClient`. */
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>
  /** Actions of customers on Stripe's pages, and events that happen to them. */
  actions: Actions
  close(): Promise<void>
}

export const standInKey = 'sk_test_stand_in'

interface Options {
  /** Database for its tables, as the owner of that database. */
  databaseUrl: string
  secretKey?: string
  onEvents?: (events: Stripe.Event[]) => void
}

export function createStripeStandIn({
  databaseUrl,
  secretKey = standInKey,
  onEvents = () => {},
}: Options): StripeStandIn {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 8 })
  pool.on('error', () => {})
  const ready = createTables(pool)
  const database = { pool, ready }
  return {
    fetch: (url, init = {}) =>
      answerCall(
        { database, secretKey },
        url instanceof Request ? url.url : String(url),
        init,
        onEvents,
      ),
    actions: createActions(database, onEvents),
    async close() {
      await ready.catch(() => undefined)
      await pool.end()
    },
  }
}
