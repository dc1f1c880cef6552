import { popupNameOf } from '#domain/popup-name.ts'
import { deletePopupQuestion } from '#domain/popup-texts.ts'
import type { PopupRow, PopupUses } from '#web/database.ts'
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx'
import { usesWords } from './uses-words.ts'

export interface PopupToDelete {
  popup: PopupRow
  uses: PopupUses | undefined
}

interface DeletePopupDialogProps {
  subject: PopupToDelete | undefined
  busy: boolean
  onClose: () => void
  onConfirm: (subject: PopupToDelete) => void
}

export function DeletePopupDialog(props: DeletePopupDialogProps) {
  return (
    <ConfirmDialog
      {...props}
      title="Delete this popup?"
      describe={({ popup, uses }) => {
        const used = uses && usesWords(uses)
        return (
          <>
            {deletePopupQuestion}
            <span className="mt-3 block font-medium wrap-anywhere text-ink">
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
    />
  )
}
