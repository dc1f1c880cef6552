import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notices } from '#domain/texts.ts'
import { tables } from '#web/client.ts'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { changeLoadedLinks } from './links-query.ts'

/**
 * Deletes a link at once, after the dialog that asks. There is no undo: a deleted link can't be made again as it
 * was, because its clicks and its place in the quota are gone, and a delete that waits would leave it working.
 */
export function useDeleteLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (id: string) => {
      await tables.from('shortened_urls').delete().eq('id', id).throwOnError()
    },
    onSuccess: (_, id) => {
      notifySuccess(notices.deleted)
      changeLoadedLinks(client, (link) => (link.id === id ? null : link))
      return client.invalidateQueries({ queryKey: ['account'] })
    },
    onError: () => notifyError(notices.deleteFailed),
  })
}
