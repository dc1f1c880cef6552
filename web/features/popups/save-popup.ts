import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PopupForm } from '#domain/popup-form.ts'
import { tables } from '#web/client.ts'
import { columnsOf } from './popup-row.ts'

interface Saving {
  /** Of the popup that is edited; a new one has none. */
  id: string | undefined
  form: PopupForm
}

export function useSavePopup(userId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, form }: Saving) => {
      const popups = tables.from('popups')
      const write =
        id === undefined
          ? popups.insert({ user_id: userId, ...columnsOf(form) })
          : popups.update(columnsOf(form)).eq('id', id).eq('user_id', userId)
      // Asking for the row makes an edit of a popup that was deleted meanwhile fail, instead of changing nothing.
      await write.select('id').single().throwOnError()
    },
    onSuccess: () => forgetPopups(client),
  })
}

/** After a popup was saved or deleted: the list here, and the choices of links and pages, are read again. */
export async function forgetPopups(client: ReturnType<typeof useQueryClient>): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['popups'] }),
    client.invalidateQueries({ queryKey: ['popup-choices'] }),
  ])
}
