import { useQueryClient } from '@tanstack/react-query'
import { popupNameOf } from '#domain/popups/popup-name.ts'
import { deletePopupQuestion, popupNotices } from '#domain/texts/popup-texts.ts'
import { tables } from '#web/api/client.ts'
import type { PopupRow, PopupUses } from '#web/api/database.ts'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { useSingleMutation } from '#web/ui/hooks/use-single-mutation.ts'
import { invalidatePopups } from './save-popup.ts'
import { usesWords } from './uses-words.ts'

export interface PopupToDelete {
  popup: PopupRow
  uses: PopupUses | undefined
}

interface DeletePopupDialogProps {
  userId: string
  subject: PopupToDelete | undefined
  onClose: () => void
  /** It has left the list. */
  onDeleted: (deleted: PopupToDelete) => void
}

export function DeletePopupDialog({ userId, subject, onClose, onDeleted }: DeletePopupDialogProps) {
  const client = useQueryClient()
  const deletion = useSingleMutation({
    mutationFn: async ({ popup: { id } }: PopupToDelete) => {
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
  return (
    <ConfirmDialog
      subject={subject}
      title="Delete this popup?"
      describe={({ popup, uses }) => {
        const used = uses && usesWords(uses)
        return (
          <>
            {deletePopupQuestion}
            <span dir="auto" className="mt-3 block font-medium wrap-anywhere text-ink">
              {popupNameOf(popup)}
            </span>
            {used === undefined ? null : (
              <span className="mt-1 block">{used}. They stay, without a popup.</span>
            )}
          </>
        )
      }}
      action="Delete"
      busyAction="Deleting..."
      busy={deletion.isPending}
      onClose={onClose}
      onConfirm={(confirmed) =>
        deletion.mutate(confirmed, { onSuccess: () => onDeleted(confirmed) })
      }
    />
  )
}
