import Stripe from 'stripe'
import { cancelWantedOf } from './cancel.ts'
import { bindCustomer, type CustomerRow, findCustomer, releaseCustomer } from './customers.ts'
import { billingErrors } from './errors.ts'
import { asBilling, type BillingParts } from './parts.ts'
import { liveSubscription, lostSubscriptions, type SubscriptionFacts } from './plan-of.ts'
import { openChange } from './portal.ts'
import { planOfPrice } from './settings.ts'
import { isCustomerGone, isMissing } from './stripe-client.ts'
import { syncCustomer } from './sync.ts'

/** A session that ends sooner than this is not handed out any more. */
const leastSeconds = 120
/** Each round does one thing and looks again; more than these are lost only against somebody who does the same. */
const mostRounds = 6

/**
 * Leads a person to the checkout of one price: always to the same open session, or, when there is a subscription
 * already, to its change. What is open and what is paid for is asked of the provider, never believed of our tables.
 */
export async function openCheckout(
  parts: BillingParts,
  userId: string,
  priceId: string,
): Promise<string> {
  if (!planOfPrice(parts.prices, priceId)) throw billingErrors.unknownPrice()
  for (let round = 0; round < mostRounds; round++) {
    const customer = (await findCustomer(parts, userId)) ?? (await bindCustomer(parts, userId))
    try {
      const url = await oneStep(parts, customer, priceId)
      if (url !== undefined) return url
    } catch (error) {
      if (!isCustomerGone(error)) throw error
      parts.log.warn({ customer: customer.customer_id }, 'the provider does not know this customer')
      await releaseCustomer(parts, customer.customer_id)
    }
  }
  throw billingErrors.busy()
}

/** The address, or undefined when something was put right and has to be looked at again. */
async function oneStep(
  parts: BillingParts,
  customer: CustomerRow,
  priceId: string,
): Promise<string | undefined> {
  const session = await begunSession(parts, customer)
  // After the session: one that was paid a moment ago has its subscription by now.
  const live = await subscriptionOf(parts, customer)
  if (live) {
    if (session?.status === 'open') await expire(parts, session)
    return changeOf(parts, customer, live, priceId)
  }
  if (session?.status === 'open') {
    const isFresh = session.expires_at > Date.now() / 1000 + leastSeconds
    if (isFresh && session.url && customer.checkout_price_id === priceId) return session.url
    // Paid in this moment: then look again.
    if (!(await expire(parts, session))) return undefined
  }
  await beginCheckout(parts, customer, priceId)
  return undefined
}

async function subscriptionOf(
  parts: BillingParts,
  customer: CustomerRow,
): Promise<SubscriptionFacts | undefined> {
  let { truth } = await syncCustomer(parts, customer.customer_id)
  if (lostSubscriptions(truth.subscriptions, truth.lost).length > 0) {
    await cancelWantedOf(parts, customer.customer_id)
    truth = (await syncCustomer(parts, customer.customer_id)).truth
  }
  return liveSubscription(truth.subscriptions)
}

async function changeOf(
  parts: BillingParts,
  { customer_id }: CustomerRow,
  live: SubscriptionFacts,
  priceId: string,
): Promise<string> {
  const isPaid = live.status === 'active' || live.status === 'trialing'
  const isSame = isPaid && !live.cancelsAtPeriodEnd && live.priceId === priceId
  // Paid for, and yet another plan: an admin has set it, or the payment is disputed. The portal tells what there is.
  if (isSame && (await planInForce(parts, customer_id)) === planOfPrice(parts.prices, priceId))
    throw billingErrors.samePlan()
  return openChange(parts, customer_id, live, priceId)
}

async function planInForce(parts: BillingParts, customerId: string): Promise<string | undefined> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ plan_type: string }>(
      `select l.plan_type from app.user_plans l join app.billing_customers c on c.user_id = l.user_id
        where c.provider = $1 and c.customer_id = $2`,
      [parts.provider, customerId],
    ),
  )
  return rows[0]?.plan_type
}

/** Decides for a new session under the next number; whoever was faster has done so for us. */
async function beginCheckout(
  parts: BillingParts,
  { customer_id, checkout_attempt }: CustomerRow,
  priceId: string,
): Promise<void> {
  await asBilling(parts, (db) =>
    db.query(
      `update app.billing_customers set checkout_attempt = checkout_attempt + 1, checkout_price_id = $4,
          checkout_session_id = null, checkout_url = null, checkout_expires_at = null
        where provider = $1 and customer_id = $2 and checkout_attempt = $3`,
      [parts.provider, customer_id, checkout_attempt, priceId],
    ),
  )
}

/**
 * The session of the last decision. When its answer was lost, or somebody else is just waiting for it, it is asked for
 * once more under the same key: the provider makes one session of that.
 */
async function begunSession(
  parts: BillingParts,
  customer: CustomerRow,
): Promise<Stripe.Checkout.Session | undefined> {
  const { customer_id, checkout_attempt, checkout_session_id, checkout_price_id } = customer
  if (checkout_price_id === null) return undefined
  if (checkout_session_id !== null) return findSession(parts, checkout_session_id)
  let session: Stripe.Checkout.Session
  try {
    session = await parts.stripe.checkout.sessions.create(
      {
        mode: 'subscription',
        customer: customer_id,
        line_items: [{ price: checkout_price_id, quantity: 1 }],
        success_url: `${parts.upgradeUrl()}?success=true`,
        cancel_url: parts.upgradeUrl(),
      },
      { idempotencyKey: `hoplet-checkout-${customer_id}-${checkout_attempt}` },
    )
  } catch (error) {
    if (isRemembered(error)) await forget(parts, customer)
    throw error
  }
  const { rowCount } = await asBilling(parts, (db) =>
    db.query(
      `update app.billing_customers set checkout_session_id = $4, checkout_url = $5,
          checkout_expires_at = to_timestamp($6)
        where provider = $1 and customer_id = $2 and checkout_attempt = $3`,
      [parts.provider, customer_id, checkout_attempt, session.id, session.url, session.expires_at],
    ),
  )
  if (rowCount === 1) return session
  // Somebody has decided for another one since.
  await expire(parts, session)
  return undefined
}

/** Undefined for one of the provider's other mode. */
async function findSession(
  { stripe }: BillingParts,
  id: string,
): Promise<Stripe.Checkout.Session | undefined> {
  try {
    return await stripe.checkout.sessions.retrieve(id)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The provider answers the same under the same key for a day, so the next call takes another one. */
function isRemembered(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeError &&
    !(error instanceof Stripe.errors.StripeConnectionError) &&
    // The same call is under way, from another server.
    error.statusCode !== 409
  )
}

async function forget(parts: BillingParts, customer: CustomerRow): Promise<void> {
  await asBilling(parts, (db) =>
    db.query(
      `update app.billing_customers set checkout_attempt = checkout_attempt + 1, checkout_price_id = null
        where provider = $1 and customer_id = $2 and checkout_attempt = $3`,
      [parts.provider, customer.customer_id, customer.checkout_attempt],
    ),
  )
}

/** False: it was not open any more, because it was paid or had expired. */
async function expire({ stripe }: BillingParts, { id }: Stripe.Checkout.Session): Promise<boolean> {
  try {
    await stripe.checkout.sessions.expire(id)
    return true
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
    const { status } = await stripe.checkout.sessions.retrieve(id)
    if (status === 'open') throw error
    return false
  }
}
