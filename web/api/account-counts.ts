import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/api/client.ts'

// Exact counts of an account's rows. The keys are below those of the lists that change with them, so that both are read again
// together.

export function linkCountQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'usage', 'links'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { count } = await tables
        .from('shortened_urls')
        .select('id', { count: 'exact', head: true })
        .eq('user_id', userId)
        // Archived ones are in no list that has this count.
        .is('archived_at', null)
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
  })
}

export function popupCountQuery(userId: string) {
  return queryOptions({
    queryKey: ['popups', userId, 'count'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { count } = await tables
        .from('popups')
        .select('id', { count: 'exact', head: true })
        .eq('user_id', userId)
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
  })
}

/** The people of a space. */
export function membersCountQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'members', 'count'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { count } = await tables
        .from('members')
        .select('person_id', { count: 'exact', head: true })
        .abortSignal(signal)
        .throwOnError()
      return count ?? 0
    },
  })
}
