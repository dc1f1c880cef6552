import { type Plan, plans } from '#domain/plans.ts'
import type { ProviderSnapshot, SubscriptionFacts } from './provider.ts'
import { type PaidPlan, planOfPrice, type Prices } from './settings.ts'

export interface PlanDecision {
  plan: Plan
  /** The one that gives the plan; else the newest. */
  subscription: SubscriptionFacts | undefined
}

/** Paid, or within the days in which the provider retries. The other five of the eight statuses give no plan. */
const paying = ['active', 'trialing', 'past_due']

export function isPaying(status: string): boolean {
  return paying.includes(status)
}

/** Ended for good: a new subscription may start. */
const ended = ['canceled', 'incomplete_expired']

/** The plan that follows from a customer's subscriptions: the highest that one of them pays for, undisputed. */
export function decidePlan(
  { subscriptions, invoices }: ProviderSnapshot,
  prices: Prices,
): PlanDecision {
  const isDisputed = ({ id }: SubscriptionFacts) =>
    invoices.some(({ subscriptionId, disputed }) => subscriptionId === id && disputed > 0)
  let best: { plan: PaidPlan; subscription: SubscriptionFacts } | undefined
  for (const subscription of newestFirst(subscriptions)) {
    const plan = planOfPrice(prices, subscription.priceId)
    if (!plan || !isPaying(subscription.status) || isDisputed(subscription)) continue
    if (!best || plans.indexOf(plan) > plans.indexOf(best.plan)) best = { plan, subscription }
  }
  return best ?? { plan: 'free', subscription: newestFirst(subscriptions)[0] }
}

/** The subscription that rules out a second one. An open first payment does not. */
export function liveSubscription(
  subscriptions: readonly SubscriptionFacts[],
): SubscriptionFacts | undefined {
  return newestFirst(subscriptions).find(
    ({ status }) => !ended.includes(status) && status !== 'incomplete',
  )
}

/** The ones that could still charge the customer. */
export function openSubscriptions(subscriptions: readonly SubscriptionFacts[]) {
  return subscriptions.filter(({ status }) => !ended.includes(status))
}

/** Subscriptions with a payment lost in a dispute: these are canceled. */
export function lostSubscriptions({ subscriptions, invoices }: ProviderSnapshot) {
  return openSubscriptions(subscriptions).filter(({ id }) =>
    invoices.some(({ subscriptionId, lost }) => subscriptionId === id && lost),
  )
}

function newestFirst(subscriptions: readonly SubscriptionFacts[]): SubscriptionFacts[] {
  return subscriptions.toSorted((a, b) => b.created.getTime() - a.created.getTime())
}
