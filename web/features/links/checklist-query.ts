import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'

interface Begun {
  link: boolean
  qrCode: boolean
  bioPage: boolean
  popup: boolean
}

/** What the account has begun with. */
export function begunQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'begun'],
    // It is looked at just after something of it was done.
    staleTime: 0,
    queryFn: async ({ signal }): Promise<Begun> => {
      const has = async (table: 'shortened_urls' | 'bio_pages' | 'popups') => {
        const { data } = await tables
          .from(table)
          .select('id')
          .eq('user_id', userId)
          .limit(1)
          .abortSignal(signal)
          .throwOnError()
        return data.length > 0
      }
      const usage = tables
        .from('user_usage')
        .select('daily_qr_codes')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      const [link, bioPage, popup, { data }] = await Promise.all([
        has('shortened_urls'),
        has('bio_pages'),
        has('popups'),
        usage,
      ])
      return { link, bioPage, popup, qrCode: (data?.daily_qr_codes ?? 0) > 0 }
    },
  })
}
