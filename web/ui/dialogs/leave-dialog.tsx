import { useBlocker } from '@tanstack/react-router'
import { Button } from '../button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'

interface LeaveDialogProps {
  /** Called at the moment of leaving, so that a save just before it counts. */
  hasUnsaved: () => boolean
  /** Input that would be lost. */
  description: string
}

/**
 * Holds every way out of a screen with unsaved work: a link or the back button with this dialog, closing the tab with
 * the browser's own. A step that stays on the screen (its search parameters) does not count as leaving, except one to
 * another thing to edit.
 */
export function LeaveDialog({ hasUnsaved, description }: LeaveDialogProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      (current.pathname !== next.pathname || editedIn(current) !== editedIn(next)) && hasUnsaved(),
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  })
  return (
    <Dialog
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      description={description}
    >
      <DialogActions>
        <Button look="danger" onClick={() => blocker.proceed?.()}>
          Leave
        </Button>
        <Button look="accent" data-first-focus onClick={() => blocker.reset?.()}>
          Keep Editing
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function editedIn({ search }: { search: object }): unknown {
  return 'edit' in search ? search.edit : undefined
}
