import { useSingleMutation } from '#web/ui/use-single-mutation.ts'
import { useQueryClient } from '@tanstack/react-query'
import { popupNotices } from '#domain/popup-texts.ts'
import { tables } from '#web/client.ts'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { invalidatePopups } from './save-popup.ts'

export function useDeletePopup(userId: string) {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: async (id: string) => {
      await tables.from('popups').delete().eq('id', id).eq('user_id', userId).throwOnError()
    },
    onSuccess: async () => {
      notifySuccess(popupNotices.deleted)
      // The database took it off the links that showed it.
      void client.invalidateQueries({ queryKey: ['links'] })
      await invalidatePopups(client)
    },
    onError: () => notifyError(popupNotices.deleteFailed),
  })
}
