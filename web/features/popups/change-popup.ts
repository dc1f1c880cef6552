import { useMutation, useQueryClient } from '@tanstack/react-query'
import { popupDraftOf } from '#domain/popups/popup-form.ts'
import { copyNameOf } from '#domain/popups/popup-name.ts'
import { popupNotices } from '#domain/texts/popup-texts.ts'
import { tables } from '#web/api/client.ts'
import type { PopupRow } from '#web/api/database.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { popupListKey, type PopupPages } from './popups-query.ts'
import { failureOf, invalidatePopups } from './save-popup.ts'

interface PopupSwitch {
  id: string
  is_active: boolean
}

/** Turns a popup on or off: at once on the screen, and back when the server does not take it. */
export function useSwitchPopup(userId: string) {
  const client = useQueryClient()
  const key = popupListKey(userId)
  const show = ({ id, is_active }: PopupSwitch) =>
    client.setQueryData<PopupPages>(key, (loaded) =>
      loaded === undefined
        ? loaded
        : {
            ...loaded,
            pages: loaded.pages.map((page) =>
              page.map((popup) => (popup.id === id ? { ...popup, is_active } : popup)),
            ),
          },
    )
  return useMutation({
    // One after the other, so that the last press wins.
    scope: { id: `switch-popup ${userId}` },
    mutationFn: async ({ id, is_active }: PopupSwitch) => {
      await tables
        .from('popups')
        .update({ is_active })
        .eq('id', id)
        .eq('user_id', userId)
        .select('id')
        .single()
        .throwOnError()
    },
    onMutate: async (wanted) => {
      show(wanted)
      await client.cancelQueries({ queryKey: key })
    },
    onError: (_, { id, is_active }) => {
      show({ id, is_active: !is_active })
      notifyError(popupNotices.changeFailed)
    },
  })
}

/** Makes a second popup like this one, which no link shows yet. */
export function useDuplicatePopup(userId: string) {
  const client = useQueryClient()
  return useSingleMutation({
    mutationFn: async (popup: PopupRow) => {
      const { error } = await tables
        .from('popups')
        .insert({ user_id: userId, ...popupDraftOf(popup), name: copyNameOf(popup) })
        .select('id')
        .single()
      if (error !== null) return failureOf(error, popupNotices.duplicateFailed)
      await invalidatePopups(client)
      return null
    },
    onSuccess: (failure) => {
      if (failure === null) notifySuccess(popupNotices.duplicated)
      else notifyError(failure)
    },
    onError: () => notifyError(popupNotices.duplicateFailed),
  })
}
