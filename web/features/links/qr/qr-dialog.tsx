import { site } from '#web/site.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { LazyQrPanel } from './lazy-qr-panel.tsx'

interface QrDialogProps {
  shortCode: string | undefined
  userId: string
  onClose: () => void
}

export function QrDialog({ shortCode, userId, onClose }: QrDialogProps) {
  return (
    <Dialog
      open={shortCode !== undefined}
      onClose={onClose}
      title="QR code"
      description={
        <span className="font-mono wrap-anywhere">
          {site.host}/{shortCode}
        </span>
      }
    >
      {shortCode === undefined ? null : (
        <LazyQrPanel shortCode={shortCode} userId={userId} className="flex-col items-center" />
      )}
    </Dialog>
  )
}
