import { useQueryClient } from '@tanstack/react-query'
import { notices } from '#domain/texts.ts'
import { tables } from '#web/client.ts'
import { notifyError, notifyInfo, notifySuccess } from '#web/ui/notify.ts'
import { useSingleMutation } from '#web/ui/use-single-mutation.ts'
import type { LinkRow } from '#web/database.ts'
import { linkColumns } from './link-row-columns.ts'
import { changeLoadedLinks } from './links-query.ts'

export interface LinkChange {
  id: string
  originalUrl: string
  showPopup: boolean
  popupId: string | null
}

/** Changes a link; one that was deleted elsewhere meanwhile leaves the lists. */
export function useUpdateLink() {
  const client = useQueryClient()
  return async ({ id, originalUrl, showPopup, popupId }: LinkChange): Promise<boolean> => {
    const { data, error } = await tables
      .from('shortened_urls')
      .update({
        original_url: originalUrl,
        show_popup: showPopup,
        popup_id: showPopup ? popupId : null,
      })
      .eq('id', id)
      .select(linkColumns)
      .maybeSingle()
    if (error !== null) {
      notifyError(notices.updateFailed)
      return false
    }
    changeLoadedLinks(client, (link) => (link.id === id ? data : link))
    if (data === null) notifyInfo(notices.linkGone)
    else notifySuccess(notices.updated)
    return true
  }
}

/**
 * Deletes a link at once, after the dialog that asks. There is no undo: a deleted link can't be made again as it
 * was, because its clicks and its place in the quota are gone, and a delete that waits would leave it working.
 */
export function useDeleteLink() {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: async ({ id }: LinkRow) => {
      await tables.from('shortened_urls').delete().eq('id', id).throwOnError()
    },
    onSuccess: (_, { id }) => {
      notifySuccess(notices.deleted)
      changeLoadedLinks(client, (link) => (link.id === id ? null : link))
      return client.invalidateQueries({ queryKey: ['account'] })
    },
    onError: () => notifyError(notices.deleteFailed),
  })
}
