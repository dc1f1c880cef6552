import { queryOptions } from '@tanstack/react-query'
import { popupNameOf } from '#domain/popups/popup-name.ts'
import { tables } from '#web/api/client.ts'

/** The popups that a link or a bio page can show: id, and the name in lists, newest first. */
export function popupChoicesQuery(userId: string) {
  return queryOptions({
    queryKey: ['popup-choices', userId],
    queryFn: async ({ signal }) => {
      const { data } = await tables
        .from('popups')
        .select('id,title,name')
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .abortSignal(signal)
        .throwOnError()
      return data.map((popup) => ({ id: popup.id, name: popupNameOf(popup) }))
    },
  })
}
