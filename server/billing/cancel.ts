import Stripe from 'stripe'
import { each, failed, type Tally } from './each.ts'
import { asBilling, type BillingParts } from './parts.ts'
import { openSubscriptions } from './plan-of.ts'
import { syncCustomer } from './sync.ts'

/**
 * Ends the subscriptions of deleted accounts, and what could become one. The wish stands in the row from the transaction of
 * the deletion on, so that it is tried until it is done.
 */
export async function cancelForGone(parts: BillingParts, tally: Tally): Promise<void> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ customer_id: string; checkout_session_id: string | null }>(
      `select customer_id, checkout_session_id from app.billing_customers
        where provider = $1 and cancel_wanted_at is not null and cancelled_at is null order by cancel_wanted_at limit 500`,
      [parts.provider],
    ),
  )
  await each(parts, rows, async ({ customer_id, checkout_session_id }) => {
    try {
      if (checkout_session_id !== null) await expireUnlessOver(parts.stripe, checkout_session_id)
      const { truth } = await syncCustomer(parts, customer_id)
      for (const { id } of openSubscriptions(truth.subscriptions)) {
        await parts.stripe.subscriptions.cancel(id)
        parts.log.info(
          { customer: customer_id },
          'the subscription of a deleted account was cancelled',
        )
      }
      if (openSubscriptions(truth.subscriptions).length > 0) await syncCustomer(parts, customer_id)
      await asBilling(parts, (db) =>
        db.query(
          `update app.billing_customers set cancelled_at = now() where provider = $1 and customer_id = $2`,
          [parts.provider, customer_id],
        ),
      )
    } catch (error) {
      failed(parts, tally, customer_id, error)
    }
  })
}

async function expireUnlessOver(stripe: Stripe, session: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(session)
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
  }
}
