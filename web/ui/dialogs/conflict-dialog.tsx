import { Button } from '../button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'

export interface Conflict {
  keepMine: () => void
  takeTheirs: { busy: boolean; run: () => void }
  close: () => void
}

interface ConflictDialogProps {
  conflict: Conflict | undefined
  /** Begins the title: "This page was". */
  subject: string
}

/** Something was saved somewhere else since it was opened here: neither side is overwritten without a choice. */
export function ConflictDialog({ conflict, subject }: ConflictDialogProps) {
  return (
    <Dialog
      open={conflict !== undefined}
      onClose={() => conflict?.close()}
      title={`${subject} changed somewhere else`}
      description="Another tab or device saved a newer version. Nothing is saved yet: which of the two should stay?"
    >
      {conflict === undefined ? null : (
        <DialogActions>
          <Button busy={conflict.takeTheirs.busy} onClick={() => conflict.takeTheirs.run()}>
            Take the Other One
          </Button>
          <Button look="accent" data-first-focus onClick={conflict.keepMine}>
            Keep Mine
          </Button>
        </DialogActions>
      )}
    </Dialog>
  )
}
