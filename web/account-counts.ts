import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'

// Exact counts of an account's rows. The keys are below those of the lists that change with them, so that both are read again
// together.

export function linkCountQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'usage', 'links'],
    staleTime: 60_000,
    queryFn: ({ signal }) => countRows('shortened_urls', userId, signal),
  })
}

export function popupCountQuery(userId: string) {
  return queryOptions({
    queryKey: ['popups', userId, 'count'],
    staleTime: 60_000,
    queryFn: ({ signal }) => countRows('popups', userId, signal),
  })
}

async function countRows(
  table: 'shortened_urls' | 'popups',
  userId: string,
  signal: AbortSignal,
): Promise<number> {
  const { count } = await tables
    .from(table)
    .select('id', { count: 'exact', head: true })
    .eq('user_id', userId)
    .abortSignal(signal)
    .throwOnError()
  return count ?? 0
}
