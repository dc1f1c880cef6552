import { queryOptions, useQuery } from '@tanstack/react-query'
import { planLimits, planOf, type Plan, type PlanLimits } from '#domain/plans.ts'

export function planQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'plan'],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Plan> => {
      const { tables } = await import('#web/api/client.ts')
      const { data } = await tables
        .from('user_plans')
        .select('plan_type')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return planOf(data?.plan_type)
    },
  })
}

/** The plan of the account and its limits; undefined while loading. A failure falls back to free. */
export function usePlan(userId: string): { plan: Plan; limits: PlanLimits } | undefined {
  const { data, isError } = useQuery(planQuery(userId))
  const plan = data ?? (isError ? 'free' : undefined)
  return plan === undefined ? undefined : { plan, limits: planLimits[plan] }
}
