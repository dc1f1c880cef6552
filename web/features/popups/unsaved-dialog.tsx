import { useBlocker } from '@tanstack/react-router'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'

/** Asks before unsaved work is left: by a link of ours in a dialog, by closing the tab through the browser. */
export function UnsavedDialog({ hasUnsaved }: { hasUnsaved: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && hasUnsaved(),
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  })
  const blocked = blocker.status === 'blocked'
  return (
    <Dialog
      open={blocked}
      onClose={() => blocker.reset?.()}
      title="Leave without saving?"
      description="What you changed in this popup will be lost."
    >
      <DialogActions>
        <Button onClick={() => blocker.reset?.()}>Keep Editing</Button>
        <Button look="danger" onClick={() => blocker.proceed?.()}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  )
}
