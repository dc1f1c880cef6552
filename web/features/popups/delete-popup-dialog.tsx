import { deletePopupQuestion } from '#domain/texts.ts'
import type { PopupRow } from '#web/database.ts'
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx'

interface DeletePopupDialogProps {
  popup: PopupRow | undefined
  busy: boolean
  onClose: () => void
  onConfirm: (popup: PopupRow) => void
}

export function DeletePopupDialog({ popup, ...rest }: DeletePopupDialogProps) {
  return (
    <ConfirmDialog
      {...rest}
      subject={popup}
      title="Delete this popup?"
      describe={({ title }) => (
        <>
          {deletePopupQuestion}
          <span className="mt-3 block font-medium wrap-anywhere text-ink">{title}</span>
        </>
      )}
      action="Delete"
      busyAction="Deleting..."
    />
  )
}
