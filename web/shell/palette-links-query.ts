import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'

const maxLinks = 8

/** The newest links of the account whose code or destination holds the text. */
export function paletteLinksQuery(userId: string, search: string) {
  return queryOptions({
    queryKey: ['palette-links', userId, search],
    staleTime: 5_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const columns = 'id,short_code,original_url,is_disabled'
      const request =
        search === ''
          ? tables
              .from('shortened_urls')
              .select(columns)
              .eq('user_id', userId)
              .order('created_at', { ascending: false })
              .limit(maxLinks)
          : tables.rpc('search_links', { _query: search, _limit: maxLinks }).select(columns)
      const { data } = await request.abortSignal(signal).throwOnError()
      return data
    },
  })
}
