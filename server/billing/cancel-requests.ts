import { type BillingDeps, queryBilling } from './deps.ts'
import { lostSubscriptions, openSubscriptions } from './plan-decision.ts'
import { ifCustomerMissing, type ProviderSnapshot } from './provider.ts'
import { syncCustomer } from './sync-customer.ts'
import { forEachCustomer, type Tally } from './tally.ts'

interface CancelRequest {
  customer_id: string
  checkout_session_id: string | null
  /** As text, to the microsecond. */
  requested_at: string
  /** The account is deleted or blocked, so nothing may be charged. Else the request is about lost disputes only. */
  is_over: boolean
}

/**
 * Cancels the subscriptions and open checkouts of deleted and blocked accounts, and subscriptions with a lost dispute.
 * The request is in the row from the transaction that caused it, so it is retried until it is done.
 *
 * @param customerId undefined: of all customers
 */
export async function cancelRequested(
  deps: BillingDeps,
  tally: Tally,
  customerId?: string,
): Promise<void> {
  const requests = await queryBilling<CancelRequest>(
    deps,
    `select customer_id, checkout_session_id, cancel_requested_at::text as requested_at,
        user_id is null or app.is_blocked_user(user_id) as is_over
      from app.billing_customers where provider = $1 and ($2::text is null or customer_id = $2)
        and cancel_requested_at is not null and canceled_at is null
      order by cancel_requested_at limit 500`,
    customerId ?? null,
  )
  await forEachCustomer(deps, tally, requests, (request) => cancel(deps, request))
}

/** Cancels for one customer now; a failure is left to the next run. */
export async function cancelRequestedFor(deps: BillingDeps, customerId: string): Promise<void> {
  await cancelRequested(deps, { drift: 0, failures: 0 }, customerId).catch(() => undefined)
}

async function cancel(deps: BillingDeps, request: CancelRequest): Promise<void> {
  const { provider, log } = deps
  const { customer_id, checkout_session_id, requested_at, is_over } = request
  if (is_over && checkout_session_id !== null) await provider.expireCheckout(checkout_session_id)
  // Without a customer there is nothing to end.
  const synced = await syncCustomer(deps, customer_id).catch(ifCustomerMissing(() => undefined))
  const ending = synced ? endingOf(synced.snapshot, is_over) : []
  for (const { id } of ending) {
    await provider.cancelSubscription(id)
    log.info({ customer: customer_id, is_over }, 'a subscription was canceled for good')
  }
  if (ending.length > 0) await syncCustomer(deps, customer_id)
  // Unless the request has changed since: the account was deleted, blocked or unblocked meanwhile. An account that goes
  // on may subscribe again, and that subscription is left alone.
  await queryBilling(
    deps,
    `update app.billing_customers set canceled_at = case when $4 then now() end,
        cancel_requested_at = case when $4 then cancel_requested_at end
      where provider = $1 and customer_id = $2 and cancel_requested_at = $3::timestamptz`,
    customer_id,
    requested_at,
    is_over,
  )
}

function endingOf(snapshot: ProviderSnapshot, isOver: boolean) {
  return isOver ? openSubscriptions(snapshot.subscriptions) : lostSubscriptions(snapshot)
}
