import type { ReactNode } from 'react'
import { Button } from '../button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'

export interface ConfirmDialogProps<Subject> {
  /** Subject of the question; the dialog is open while there is one. */
  subject: Subject | undefined
  title: string
  describe: (subject: Subject) => ReactNode
  /** The word on the button before, and during the work. */
  action: string
  busyAction: string
  busy: boolean
  onClose: () => void
  onConfirm: (subject: Subject) => void
}

/** Asks before something is lost for good. The focus starts at Cancel, so that a hasty Enter destroys nothing. */
export function ConfirmDialog<Subject>(props: ConfirmDialogProps<Subject>) {
  const { subject, title, describe, action, busyAction, busy, onClose, onConfirm } = props
  return (
    <Dialog
      open={subject !== undefined}
      onClose={onClose}
      title={title}
      description={subject === undefined ? undefined : describe(subject)}
    >
      {subject === undefined ? null : (
        <DialogActions>
          <Button data-first-focus onClick={onClose}>
            Cancel
          </Button>
          <Button look="danger" busy={busy} onClick={() => onConfirm(subject)}>
            {busy ? busyAction : action}
          </Button>
        </DialogActions>
      )}
    </Dialog>
  )
}
