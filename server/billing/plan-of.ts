import { type Plan, plans } from '#domain/plans.ts'
import { type PaidPlan, planOfPrice, type Prices } from './settings.ts'

/** What counts of a subscription at the provider. */
export interface SubscriptionFacts {
  id: string
  status: string
  /** The first item that has one of our prices, else the first. */
  itemId: string | null
  priceId: string | null
  periodEnd: Date | null
  cancelsAtPeriodEnd: boolean
  created: Date
}

export interface Decision {
  plan: Plan
  /** The one that gives the plan; without any, the newest. */
  subscription: SubscriptionFacts | undefined
}

/** Paid for, or within the days in which the provider tries again. The other five of the eight give nothing. */
const paying = ['active', 'trialing', 'past_due']

export function isPaying(status: string): boolean {
  return paying.includes(status)
}

/** Ended for good: another one may be begun beside it. */
const ended = ['canceled', 'incomplete_expired']

/** The plan that follows from a customer's subscriptions: the highest that one of them pays for. */
export function planOf(
  subscriptions: readonly SubscriptionFacts[],
  disputed: ReadonlySet<string>,
  prices: Prices,
): Decision {
  let best: { plan: PaidPlan; subscription: SubscriptionFacts } | undefined
  for (const subscription of newestFirst(subscriptions)) {
    const plan = planOfPrice(prices, subscription.priceId)
    if (!plan || !isPaying(subscription.status) || disputed.has(subscription.id)) continue
    if (!best || plans.indexOf(plan) > plans.indexOf(best.plan)) best = { plan, subscription }
  }
  return best ?? { plan: 'free', subscription: newestFirst(subscriptions)[0] }
}

/** The subscription that stands in the way of a second one. A first payment that is still open does not. */
export function liveSubscription(
  subscriptions: readonly SubscriptionFacts[],
): SubscriptionFacts | undefined {
  return newestFirst(subscriptions).find(
    ({ status }) => !ended.includes(status) && status !== 'incomplete',
  )
}

/** Those that could still charge somebody. */
export function openSubscriptions(subscriptions: readonly SubscriptionFacts[]) {
  return subscriptions.filter(({ status }) => !ended.includes(status))
}

/** Whose money the bank took back for good: these end. */
export function lostSubscriptions(
  subscriptions: readonly SubscriptionFacts[],
  lost: ReadonlySet<string>,
) {
  return openSubscriptions(subscriptions).filter(({ id }) => lost.has(id))
}

function newestFirst(subscriptions: readonly SubscriptionFacts[]): SubscriptionFacts[] {
  return subscriptions.toSorted((a, b) => b.created.getTime() - a.created.getTime())
}
