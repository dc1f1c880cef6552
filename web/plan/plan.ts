import { queryOptions, useQuery } from '@tanstack/react-query'
import { noLimits, planLimits, planOf, type Plan, type PlanLimits } from '#domain/plans.ts'
import { site } from '#web/site.ts'
import { lastFacts, sessionFactsQuery } from '#web/session/session-facts.ts'

export function planQuery(userId: string) {
  return queryOptions({ ...sessionFactsQuery(userId), select: ({ planType }) => planOf(planType) })
}

export interface CurrentPlan {
  plan: Plan
  limits: PlanLimits
  /** `unchecked`: the last one known, because the read has failed. `unknown`: none was ever known. */
  standing: 'checked' | 'unchecked' | 'unknown'
}

/** The server decides whether it shows clicks, and nothing is offered because of a failure. */
const unknownPlan: CurrentPlan = {
  plan: 'free',
  limits: { ...planLimits.free, canViewClicks: true },
  standing: 'unknown',
}

/** Where accounts have no plans, there is nothing to ask for. */
const noPlans: CurrentPlan = { plan: 'business', limits: noLimits, standing: 'checked' }

/** The plan of the account and its limits; undefined while loading, and for signed-out people (null). */
export function usePlan(userId: string | null): CurrentPlan | undefined {
  const { data, isError, errorUpdateCount } = useQuery({
    ...planQuery(userId ?? ''),
    enabled: site.hasPlans && userId !== null,
  })
  if (!site.hasPlans) return noPlans
  // Also while it is asked for again: a part that comes and goes with it would ask each time.
  const hasFailed = isError || (data === undefined && errorUpdateCount > 0)
  const last = hasFailed && userId !== null ? lastFacts(userId) : undefined
  const plan = data ?? (last && planOf(last.planType))
  if (plan !== undefined)
    return { plan, limits: planLimits[plan], standing: hasFailed ? 'unchecked' : 'checked' }
  return hasFailed ? unknownPlan : undefined
}
