import { findCustomer } from './customers.ts'
import { billingErrors } from './errors.ts'
import type { BillingParts } from './parts.ts'
import type { SubscriptionFacts } from './plan-of.ts'

/** The provider's page for the person's own subscription, card and invoices. */
export async function openPortal(parts: BillingParts, userId: string): Promise<string> {
  const customer = await findCustomer(parts, userId)
  if (!customer) throw billingErrors.noSubscription()
  const session = await parts.stripe.billingPortal.sessions.create({
    customer: customer.customer_id,
    return_url: parts.upgradeUrl(),
  })
  return session.url
}

/** The page on which the change of a running subscription to that price is confirmed; else the portal itself. */
export async function openChange(
  parts: BillingParts,
  customer: string,
  { id, itemId, priceId, status, cancelsAtPeriodEnd }: SubscriptionFacts,
  wantedPrice: string,
): Promise<string> {
  // Where something is owed or ending, that has to be put right first.
  const isChange = priceId !== wantedPrice && status !== 'unpaid' && status !== 'paused'
  const session = await parts.stripe.billingPortal.sessions.create({
    customer,
    return_url: parts.upgradeUrl(),
    ...(isChange &&
      itemId !== null &&
      !cancelsAtPeriodEnd && {
        flow_data: {
          type: 'subscription_update_confirm',
          subscription_update_confirm: {
            subscription: id,
            items: [{ id: itemId, price: wantedPrice, quantity: 1 }],
          },
        },
      }),
  })
  return session.url
}
