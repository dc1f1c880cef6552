import type { QueryClient } from '@tanstack/react-query'
import { tables } from '#web/api/client.ts'
import { site } from '#web/site.ts'
import { lastFacts, sessionFactsQuery } from '#web/session/session-facts.ts'

/**
 * Counts one download of a QR code.
 *
 * @returns the limit of the day that refuses it, or null. Downloads on the free plan are neither counted nor limited,
 * nor any where there are no plans.
 */
export async function qrLimitInTheWay(client: QueryClient, userId: string): Promise<number | null> {
  if (!site.hasPlans) return null
  const { planType } = await client
    .ensureQueryData(sessionFactsQuery(userId))
    .catch((error: unknown) => {
      const last = lastFacts(userId)
      if (last === undefined) throw error
      return last
    })
  if (planType === 'free') return null
  const { data } = await tables.rpc('increment_qr_usage', { _user_id: userId }).throwOnError()
  return data.allowed ? null : data.limit
}
