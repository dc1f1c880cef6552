import { queryOptions } from '@tanstack/react-query'
import type { UsageRow } from '#web/api/database.ts'

export const nothingUsed: UsageRow = {
  total_custom_codes: 0,
  total_shortened_urls: 0,
  daily_custom_codes: 0,
  daily_shortened_urls: 0,
  daily_qr_codes: 0,
}

export function usageQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'usage'],
    queryFn: async ({ signal }): Promise<UsageRow> => {
      const { tables } = await import('#web/api/client.ts')
      const { data } = await tables
        .from('user_usage')
        .select(
          'total_custom_codes,total_shortened_urls,daily_custom_codes,daily_shortened_urls,daily_qr_codes',
        )
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data ?? nothingUsed
    },
  })
}
