import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog, DialogActions } from '#web/ui/dialog.tsx'
import type { LinkRow } from './link-row-columns.ts'

interface DeleteDialogProps {
  link: LinkRow | undefined
  busy: boolean
  onClose: () => void
  onConfirm: (link: LinkRow) => void
}

export function DeleteDialog({ link, busy, onClose, onConfirm }: DeleteDialogProps) {
  return (
    <Dialog
      open={link !== undefined}
      onClose={onClose}
      title="Delete this link?"
      description={
        <>
          <span className="font-mono break-all text-ink">
            {site.host}/{link?.short_code}
          </span>{' '}
          will stop working, and its click count will be lost.
        </>
      }
    >
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          busy={busy}
          onClick={() => {
            if (link !== undefined) onConfirm(link)
          }}
        >
          {busy ? 'Deleting...' : 'Delete'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
