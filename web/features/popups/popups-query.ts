import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'

/** The popups of an account, newest first. */
export function popupsQuery(userId: string) {
  return queryOptions({
    queryKey: ['popups', userId],
    queryFn: async ({ signal }) => {
      const { data } = await tables
        .from('popups')
        .select('*')
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
}

/** One popup of an account, for editing: fetched for each edit and never refetched while the form is open. */
export function popupQuery(userId: string, id: string) {
  return queryOptions({
    queryKey: ['popup', userId, id],
    queryFn: async ({ signal }) => {
      const { data } = await tables
        .from('popups')
        .select('*')
        .eq('id', id)
        // Others' popups can be read by their id as well, as visitors do.
        .eq('user_id', userId)
        .abortSignal(signal)
        .single()
        .throwOnError()
      return data
    },
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: (query) => query.state.status === 'error',
  })
}
