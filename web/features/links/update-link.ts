import { useMutation, useQueryClient } from '@tanstack/react-query'
import { tables } from '#web/client.ts'
import { linkColumns } from './link-row-columns.ts'
import { changeLoadedLinks } from './links-query.ts'

interface LinkChange {
  id: string
  originalUrl: string
  showPopup: boolean
  popupId: string | null
}

export function useUpdateLink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, originalUrl, showPopup, popupId }: LinkChange) => {
      const { data } = await tables
        .from('shortened_urls')
        .update({
          original_url: originalUrl,
          show_popup: showPopup,
          popup_id: showPopup ? popupId : null,
        })
        .eq('id', id)
        .select(linkColumns)
        .single()
        .throwOnError()
      return data
    },
    onSuccess: (changed) =>
      changeLoadedLinks(client, (link) => (link.id === changed.id ? changed : link)),
  })
}
