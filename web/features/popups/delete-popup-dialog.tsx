import { deletePopupQuestion } from '#domain/texts.ts'
import type { PopupRow } from '#web/database.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'

interface DeletePopupDialogProps {
  popup: PopupRow | undefined
  busy: boolean
  onClose: () => void
  onConfirm: (popup: PopupRow) => void
}

export function DeletePopupDialog({ popup, busy, onClose, onConfirm }: DeletePopupDialogProps) {
  return (
    <Dialog
      open={popup !== undefined}
      onClose={onClose}
      title="Delete this popup?"
      description={
        <>
          {deletePopupQuestion}
          <span className="mt-3 block font-medium wrap-anywhere text-ink">{popup?.title}</span>
        </>
      }
    >
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          busy={busy}
          onClick={() => {
            if (popup !== undefined) onConfirm(popup)
          }}
        >
          {busy ? 'Deleting...' : 'Delete'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
