import Stripe from 'stripe'
import { each, failed, type Tally } from './each.ts'
import { asBilling, type BillingParts } from './parts.ts'
import { lostSubscriptions, openSubscriptions } from './plan-of.ts'
import { factsOf } from './stripe-client.ts'
import { syncCustomer } from './sync.ts'

/** A customer who has something to be cancelled. */
interface Wish {
  customer_id: string
  checkout_session_id: string | null
  /** As text, to the microsecond. */
  wanted_at: string
  /** The account is deleted or blocked: nothing at all may be charged any more. Else it is about lost disputes only. */
  is_over: boolean
}

const wishes = `select customer_id, checkout_session_id, cancel_wanted_at::text as wanted_at,
    user_id is null or app.block_of(null, user_id, null) is not null as is_over
  from app.billing_customers where provider = $1 and cancel_wanted_at is not null and cancelled_at is null`

/**
 * Ends the subscriptions of deleted and blocked accounts, with what could become one, and those of which a dispute was
 * lost. The wish stands in the row from the transaction of its cause on, so that it is tried until it is done.
 */
export async function cancelWanted(parts: BillingParts, tally: Tally): Promise<void> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<Wish>(`${wishes} order by cancel_wanted_at limit 500`, [parts.provider]),
  )
  await each(parts, rows, async (wish) => {
    try {
      await fulfil(parts, wish)
    } catch (error) {
      failed(parts, tally, wish.customer_id, error)
    }
  })
}

/** The same for one customer, at once; what fails is left to the next run. */
export async function cancelWantedOf(parts: BillingParts, customerId: string): Promise<void> {
  try {
    const { rows } = await asBilling(parts, (db) =>
      db.query<Wish>(`${wishes} and customer_id = $2`, [parts.provider, customerId]),
    )
    for (const wish of rows) await fulfil(parts, wish)
  } catch (error) {
    parts.log.warn({ ...factsOf(error), customer: customerId }, 'not cancelled yet')
  }
}

async function fulfil(parts: BillingParts, wish: Wish): Promise<void> {
  const { customer_id, checkout_session_id, wanted_at, is_over } = wish
  if (is_over && checkout_session_id !== null)
    await expireUnlessOver(parts.stripe, checkout_session_id)
  const { truth } = await syncCustomer(parts, customer_id)
  const ending = is_over
    ? openSubscriptions(truth.subscriptions)
    : lostSubscriptions(truth.subscriptions, truth.lost)
  for (const { id } of ending) {
    await parts.stripe.subscriptions.cancel(id)
    parts.log.info({ customer: customer_id, is_over }, 'a subscription was cancelled for good')
  }
  if (ending.length > 0) await syncCustomer(parts, customer_id)
  // Not when something else is wanted by now: an account was deleted, blocked or unblocked meanwhile. Whoever lives on can
  // begin anew, and that is left alone.
  await asBilling(parts, (db) =>
    db.query(
      `update app.billing_customers set cancelled_at = case when $4 then now() end,
          cancel_wanted_at = case when $4 then cancel_wanted_at end
        where provider = $1 and customer_id = $2 and cancel_wanted_at = $3::timestamptz`,
      [parts.provider, customer_id, wanted_at, is_over],
    ),
  )
}

async function expireUnlessOver(stripe: Stripe, session: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(session)
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
  }
}
