import { cancelRequestedFor } from './cancel-requests.ts'
import { bindCustomer, type CustomerRow, findCustomer, releaseCustomer } from './customers.ts'
import { type BillingDeps, queryBilling } from './deps.ts'
import { billingErrors } from './errors.ts'
import { liveSubscription, lostSubscriptions } from './plan-decision.ts'
import {
  type CheckoutSession,
  ifCustomerMissing,
  PaymentProviderError,
  type SubscriptionFacts,
} from './provider.ts'
import { planOfPrice } from './settings.ts'
import { syncCustomer } from './sync-customer.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** Each round does one thing and looks again; only a constant stream of competing calls uses up all of them. */
const maxRounds = 6

/**
 * Leads a person to the checkout of one price: always to the same open session, or, with a running subscription, to its
 * change. Open and paid amounts are read from the provider, never from our tables.
 */
export async function checkoutUrlFor(
  deps: BillingDeps,
  userId: string,
  priceId: string,
): Promise<string> {
  if (!planOfPrice(deps.provider.prices, priceId)) throw billingErrors.unknownPrice()
  for (let round = 0; round < maxRounds; round++) {
    const customer = (await findCustomer(deps, userId)) ?? (await bindCustomer(deps, userId))
    const url = await oneStep(deps, customer, priceId).catch(
      ifCustomerMissing(async () => {
        await releaseUnknown(deps, customer)
        return undefined
      }),
    )
    if (url !== undefined) return url
  }
  throw billingErrors.busy()
}

/** The provider's page for the person's own subscription, card and invoices. */
export async function portalUrlFor(deps: BillingDeps, userId: string): Promise<string> {
  const customer = orThrow(await findCustomer(deps, userId), billingErrors.noSubscription)
  const visit = {
    customerId: customer.customer_id,
    returnUrl: deps.upgradeUrl(),
    change: undefined,
  }
  return deps.provider.openPortal(visit).catch(
    ifCustomerMissing(async () => {
      await releaseUnknown(deps, customer)
      throw billingErrors.noSubscription()
    }),
  )
}

async function releaseUnknown(deps: BillingDeps, { customer_id }: CustomerRow): Promise<void> {
  deps.log.warn({ customer: customer_id }, 'the provider does not know this customer')
  await releaseCustomer(deps, customer_id)
}

/** The address, or undefined when something was corrected and the state has to be read again. */
async function oneStep(
  deps: BillingDeps,
  customer: CustomerRow,
  priceId: string,
): Promise<string | undefined> {
  const { provider } = deps
  const session = await startedSession(deps, customer)
  // After the session: one that was paid a moment ago has its subscription by now.
  const live = await runningSubscription(deps, customer)
  if (live) {
    if (session?.url) await provider.expireCheckout(session.id)
    return changePlan(deps, customer, live, priceId)
  }
  if (session?.url) {
    if (customer.checkout_price_id === priceId) return session.url
    // Paid at this moment: look again.
    if (!(await provider.expireCheckout(session.id))) return undefined
  }
  await startCheckout(deps, customer, priceId)
  return undefined
}

async function runningSubscription(
  deps: BillingDeps,
  customer: CustomerRow,
): Promise<SubscriptionFacts | undefined> {
  let { snapshot } = await syncCustomer(deps, customer.customer_id)
  if (lostSubscriptions(snapshot).length > 0) {
    await cancelRequestedFor(deps, customer.customer_id)
    snapshot = (await syncCustomer(deps, customer.customer_id)).snapshot
  }
  return liveSubscription(snapshot.subscriptions)
}

/** The page that confirms the change of a running subscription; else the portal itself. */
async function changePlan(
  deps: BillingDeps,
  { customer_id, user_id }: CustomerRow,
  live: SubscriptionFacts,
  priceId: string,
): Promise<string> {
  const { provider } = deps
  const isPaid = live.status === 'active' || live.status === 'trialing'
  const isSame = isPaid && !live.cancelsAtPeriodEnd && live.priceId === priceId
  // Paid, but another plan is in force: an admin has set it, or the payment is disputed. The portal shows why.
  const planInForce = isSame && (await findCustomer(deps, user_id))?.plan_type
  if (planInForce === planOfPrice(provider.prices, priceId)) throw billingErrors.samePlan()
  // Debts and ending subscriptions are settled in the portal first.
  const canChange =
    live.priceId !== priceId &&
    !['unpaid', 'paused'].includes(live.status) &&
    !live.cancelsAtPeriodEnd
  return provider.openPortal({
    customerId: customer_id,
    returnUrl: deps.upgradeUrl(),
    change: canChange ? { subscription: live, priceId } : undefined,
  })
}

/** Decides for a new session under the next number, unless a parallel call has done so already. */
async function startCheckout(
  deps: BillingDeps,
  { customer_id, checkout_attempt }: CustomerRow,
  priceId: string | null,
): Promise<void> {
  await queryBilling(
    deps,
    `update app.billing_customers set checkout_attempt = checkout_attempt + 1, checkout_price_id = $4,
        checkout_session_id = null
      where provider = $1 and customer_id = $2 and checkout_attempt = $3`,
    customer_id,
    checkout_attempt,
    priceId,
  )
}

/**
 * The session of the latest decision. When the response was lost, or a parallel call is waiting for it, it is requested
 * again under the same key: the provider makes one session of that.
 */
async function startedSession(
  deps: BillingDeps,
  customer: CustomerRow,
): Promise<CheckoutSession | undefined> {
  const { provider } = deps
  const { customer_id, checkout_attempt, checkout_session_id, checkout_price_id } = customer
  if (checkout_price_id === null) return undefined
  if (checkout_session_id !== null) return provider.readCheckout(checkout_session_id)
  const order = {
    customerId: customer_id,
    priceId: checkout_price_id,
    successUrl: `${deps.upgradeUrl()}?success=true`,
    cancelUrl: deps.upgradeUrl(),
    idempotencyKey: `hoplet-checkout-${customer_id}-${checkout_attempt}`,
  }
  const session = await provider.createCheckout(order).catch(async (error: unknown) => {
    // The provider repeats a failed response under the same key for a day, so the next call takes another key.
    const isRepeated =
      error instanceof PaymentProviderError && !['unreachable', 'busy'].includes(error.reason)
    if (isRepeated) await startCheckout(deps, customer, null)
    throw error
  })
  const updated = await queryBilling(
    deps,
    `update app.billing_customers set checkout_session_id = $4
      where provider = $1 and customer_id = $2 and checkout_attempt = $3 returning customer_id`,
    customer_id,
    checkout_attempt,
    session.id,
  )
  if (updated.length === 1) return session
  // A parallel call has decided for another session since.
  await provider.expireCheckout(session.id)
  return undefined
}
