import { Button } from '../button.tsx'
import { DialogActions } from './dialog.tsx'

interface FormActionsProps {
  /** On the button that submits the form. */
  action: string
  busyAction?: string
  busy: boolean
  look?: 'accent' | 'danger'
  disabled?: boolean
  onCancel: () => void
}

/** The end of a form in a dialog: Cancel, and the button that submits it. */
export function FormActions({
  action,
  busyAction = 'Please wait...',
  busy,
  look = 'accent',
  disabled = false,
  onCancel,
}: FormActionsProps) {
  return (
    <DialogActions>
      <Button onClick={onCancel}>Cancel</Button>
      <Button type="submit" look={look} busy={busy} disabled={disabled}>
        {busy ? busyAction : action}
      </Button>
    </DialogActions>
  )
}
