import { Link } from '@tanstack/react-router'
import { nameInAddress } from '#domain/links/link-address.ts'
import { routes } from '#domain/routes.ts'
import { shownLink } from '#web/shown-link.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { useDefaultLook } from '#web/qr/looks-query.ts'
import { LazyQrPanel } from './lazy-qr-panel.tsx'

interface QrDialogProps {
  /** A text of `namedOn`; undefined closes the dialog. */
  code: string | undefined
  userId: string
  onClose: () => void
}

export function QrDialog({ code, userId, onClose }: QrDialogProps) {
  const look = useDefaultLook(userId)
  return (
    <Dialog
      open={code !== undefined}
      onClose={onClose}
      title="QR code"
      description={
        <span className="font-mono wrap-anywhere">{code === undefined ? '' : shownLink(code)}</span>
      }
    >
      {code === undefined ? null : (
        <>
          <LazyQrPanel {...{ code, userId, look }} className="flex-col items-center" />
          <p className="mt-4 text-center text-sm">
            <Link
              to={routes.qrStudio.path}
              search={{ link: nameInAddress(code) }}
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
