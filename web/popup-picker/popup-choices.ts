import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'

/** The popups that a link or a bio page can show: id and title, newest first. */
export function popupChoicesQuery(userId: string) {
  return queryOptions({
    queryKey: ['popup-choices', userId],
    queryFn: async ({ signal }) => {
      const { data } = await tables
        .from('popups')
        .select('id,title')
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
}
