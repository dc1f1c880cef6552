import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { planOf, type Plan } from '#domain/plans.ts'
import { openTabsChannel } from '#web/tabs-channel.ts'
import { sessionFactsQuery } from '#web/session/session-facts.ts'
import { usageQuery } from './usage.ts'

/** Result of check-subscription: `plan` is the one in force, `subscription_end` is ISO 8601. */
export interface Subscription {
  subscribed: boolean
  plan: Plan
  subscription_end: string | null
  /** The paid plan; null when not subscribed. */
  paid_plan: Plan | null
  /** Its payment is disputed or in doubt. */
  on_hold: boolean
  cancel_at_period_end: boolean
  /** The plan was bought with play money, and the server no longer accepts that. */
  is_play_money_void: boolean
  /** False when the check failed: then only the plan is known. */
  is_checked: boolean
}

/** Used when the subscription cannot be checked, as the specification says. The limits of the account do not depend on it. */
const notSubscribed: Subscription = {
  subscribed: false,
  plan: 'free',
  subscription_end: null,
  paid_plan: null,
  on_hold: false,
  cancel_at_period_end: false,
  is_play_money_void: false,
  is_checked: false,
}

const pollIntervalMs = 60_000

const tabs = openTabsChannel('hoplet.plan')

/** After a payment: the tab that the checkout was opened from still shows the old plan. */
export function notifyOtherTabs(userId: string): void {
  tabs.postMessage(userId)
}

/**
 * The subscription of the account. The limits of the account are read in one place, sessionFactsQuery; this says when that has
 * to be read again.
 */
function subscriptionQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'subscription'],
    staleTime: 0,
    queryFn: async ({ client, signal }): Promise<Subscription> => {
      const { functions } = await import('#web/api/client.ts')
      const { data, error } = await functions.invoke<Record<string, unknown>>(
        'check-subscription',
        { signal },
      )
      if (error !== null || data === null)
        throw error ?? new Error('check-subscription said nothing')
      const answer = readSubscription(data)
      const facts = client.getQueryState(sessionFactsQuery(userId).queryKey)
      // Also after a failed read of the plan: it is asked for again.
      if (
        facts?.status === 'error' ||
        (facts?.data && planOf(facts.data.planType) !== answer.plan)
      ) {
        // The limits, and whether clicks are shown.
        void client.invalidateQueries({ queryKey: sessionFactsQuery(userId).queryKey })
        void client.invalidateQueries({ queryKey: usageQuery(userId).queryKey })
        void client.invalidateQueries({ queryKey: ['links', userId] })
      }
      return answer
    },
  })
}

function readSubscription(data: Record<string, unknown>): Subscription {
  const end = data['subscription_end']
  const subscribed = data['subscribed'] === true
  return {
    subscribed,
    plan: planOf(data['plan']),
    subscription_end: typeof end === 'string' ? end : null,
    paid_plan: subscribed ? planOf(data['paid_plan'] ?? data['plan']) : null,
    on_hold: data['on_hold'] === true,
    cancel_at_period_end: data['cancel_at_period_end'] === true,
    is_play_money_void: data['voided_plan'] !== undefined,
    is_checked: true,
  }
}

/** The subscription; undefined while loading. `every` asks more often than the poll does. */
export function useSubscription(
  userId: string | null,
  every?: number | false,
): Subscription | undefined {
  const { data, isError } = useQuery({
    ...subscriptionQuery(userId ?? ''),
    enabled: userId !== null,
    refetchInterval: every ?? false,
  })
  return isError ? notSubscribed : data
}

/** Checks the subscription whenever the user changes and every 60 s, in every tab that is looked at. */
export function useSubscriptionPoll(userId: string | null): void {
  useQuery({
    ...subscriptionQuery(userId ?? ''),
    enabled: userId !== null,
    refetchInterval: pollIntervalMs,
    // The shell shows nothing of it.
    notifyOnChangeProps: [],
  })
  const client = useQueryClient()
  useEffect(() => {
    if (userId === null) return undefined
    const ask = ({ data }: MessageEvent<unknown>) => {
      if (data === userId)
        void client.invalidateQueries({ queryKey: subscriptionQuery(userId).queryKey })
    }
    tabs.addEventListener('message', ask)
    return () => tabs.removeEventListener('message', ask)
  }, [userId, client])
}
