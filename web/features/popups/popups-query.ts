import { infiniteQueryOptions, type InfiniteData, queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/api/client.ts'
import type { PopupRow, PopupUses } from '#web/api/database.ts'

const pageSize = 24

export type PopupPages = InfiniteData<PopupRow[], PopupRow | null>

export const popupListKey = (userId: string) => ['popups', userId, 'list'] as const

/** The popups of an account, newest first, a page at a time from the last one seen. */
export function popupsQuery(userId: string) {
  return infiniteQueryOptions({
    queryKey: popupListKey(userId),
    queryFn: ({ pageParam, signal }) => {
      let query = tables.from('popups').select('*').eq('user_id', userId)
      if (pageParam !== null) {
        // The first condition lets the index find the place, the second steps over rows of the same instant.
        const { created_at, id } = pageParam
        query = query.lte('created_at', created_at).or(`created_at.lt."${created_at}",id.lt.${id}`)
      }
      const newestFirst = query
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
      return answerOf(newestFirst.limit(pageSize), signal)
    },
    initialPageParam: null as PopupRow | null,
    getNextPageParam: (last) => (last.length < pageSize ? null : (last.at(-1) ?? null)),
    refetchOnReconnect: (query) => query.state.status === 'error',
  })
}

/** Where the popups of a page are used, by id. */
export function popupUsesQuery(userId: string, ids: readonly string[]) {
  return queryOptions({
    queryKey: ['popups', userId, 'uses', ids],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, PopupUses>> => {
      const rows = await answerOf(tables.rpc('popup_uses', { _popup_ids: [...ids] }), signal)
      return new Map(rows.map((uses) => [uses.popup_id, uses]))
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
