import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'

interface LeaveDialogProps {
  open: boolean
  onStay: () => void
  onLeave: () => void
}

export function LeaveDialog({ open, onStay, onLeave }: LeaveDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onStay}
      title="Leave without saving?"
      description="Your bio page has changes that are not saved yet."
    >
      <DialogActions>
        <Button look="danger" onClick={onLeave}>
          Leave
        </Button>
        <Button look="accent" data-first-focus onClick={onStay}>
          Keep Editing
        </Button>
      </DialogActions>
    </Dialog>
  )
}
