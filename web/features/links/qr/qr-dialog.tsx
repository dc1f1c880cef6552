import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { useDefaultLook } from '#web/qr/looks-query.ts'
import { LazyQrPanel } from './lazy-qr-panel.tsx'

interface QrDialogProps {
  shortCode: string | undefined
  userId: string
  onClose: () => void
}

export function QrDialog({ shortCode, userId, onClose }: QrDialogProps) {
  const look = useDefaultLook(userId)
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
        <>
          <LazyQrPanel {...{ shortCode, userId, look }} className="flex-col items-center" />
          <p className="mt-4 text-center text-sm">
            <Link
              to={routes.qrStudio.path}
              search={{ link: shortCode }}
              className="text-ink-soft underline underline-offset-4 hover:text-ink"
            >
              Logo, shapes, placements and print
            </Link>
          </p>
        </>
      )}
    </Dialog>
  )
}
