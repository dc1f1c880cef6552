import { useQueryClient } from '@tanstack/react-query'
import type { PopupForm } from '#domain/popup-form.ts'
import { popupNotices } from '#domain/popup-texts.ts'
import { type Notice } from '#domain/texts.ts'
import { tables } from '#web/client.ts'

interface Saving {
  /** Of the popup that is edited; a new one has none. */
  id: string | undefined
  form: PopupForm
}

/** Saves a popup. @returns its id, or why it did not work */
export function useSavePopup(userId: string) {
  const client = useQueryClient()
  return async ({ id, form }: Saving): Promise<{ id: string } | { failure: Notice }> => {
    const popups = tables.from('popups')
    const write =
      id === undefined
        ? popups.insert({ user_id: userId, ...form })
        : popups.update(form).eq('id', id).eq('user_id', userId)
    // Asking for the row makes an edit of a popup that was deleted meanwhile fail, instead of changing nothing.
    const { data, error } = await write.select('id').single()
    if (error !== null) return { failure: failureOf(error, popupNotices.saveFailed) }
    await invalidatePopups(client)
    return data
  }
}

/** A rule that the popup breaks comes as a sentence for people; the messages of other errors are for programmers. */
export function failureOf(error: { code: string; message: string }, failure: Notice): Notice {
  const isRule = (error.code === '23514' || error.code === 'P0001') && error.message !== ''
  return isRule ? { title: failure.title, description: error.message } : failure
}

/** After a popup was saved or deleted: the list here, and the choices of links and pages, are read again. */
export async function invalidatePopups(client: ReturnType<typeof useQueryClient>): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['popups'] }),
    client.invalidateQueries({ queryKey: ['popup-choices'] }),
  ])
}
