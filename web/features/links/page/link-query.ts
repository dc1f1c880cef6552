import { queryOptions, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { codeOfLink } from '#domain/links/link-address.ts'
import { answerOf, oneRowOf, tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'

/** One link of the account by its code, or null. A row of a loaded list stands in while it is read. */
export function linkQuery(client: QueryClient, userId: string, code: string) {
  return queryOptions({
    // The report beside it is about as new. The router may have asked while the page was loading.
    staleTime: 5_000,
    refetchOnWindowFocus: 'always',
    // Below the lists' key: changes of the lists can change this one.
    queryKey: ['links', userId, 'one', code],
    queryFn: ({ signal }): Promise<LinkRow | null> =>
      oneRowOf(
        tables.from('shortened_urls').select('*').eq('user_id', userId).eq('short_code', code),
        signal,
      ),
    placeholderData: () =>
      client
        .getQueriesData<Partial<InfiniteData<{ links: LinkRow[] }>>>({
          queryKey: ['links', userId],
        })
        .flatMap(([, list]) => list?.pages?.flatMap(({ links }) => links) ?? [])
        .find((link) => codeOfLink(link) === code),
  })
}

/** Where a link led before, newest change first. */
export function linkHistoryQuery(userId: string, code: string) {
  return queryOptions({
    queryKey: ['link-history', userId, code],
    queryFn: ({ signal }) => answerOf(tables.rpc('link_history', { _short_code: code }), signal),
  })
}
