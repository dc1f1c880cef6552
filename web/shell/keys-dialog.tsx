import { KeyList } from '#web/key-list.tsx'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'

/** The keys of the app, opened with `?`. */
export function KeysDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <KeyList />
    </Dialog>
  )
}
