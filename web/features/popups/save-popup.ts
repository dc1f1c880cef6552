import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { PopupForm } from '#domain/popup-form.ts'
import { type Notice, popupNotices } from '#domain/texts.ts'
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

/** What to tell of a failed save: a rule that the popup breaks comes as a sentence, other errors are for programmers. */
export function saveFailureOf(error: Error): Notice {
  const isRule = 'code' in error && error.code === '23514' && error.message !== ''
  return isRule
    ? { title: popupNotices.saveFailed.title, description: error.message }
    : popupNotices.saveFailed
}

/** After a popup was saved or deleted: the list here, and the choices of links and pages, are read again. */
export async function forgetPopups(client: ReturnType<typeof useQueryClient>): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['popups'] }),
    client.invalidateQueries({ queryKey: ['popup-choices'] }),
  ])
}
