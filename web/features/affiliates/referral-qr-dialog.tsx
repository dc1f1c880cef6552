import { connectionTexts } from '#domain/account-texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { useLazyPart } from '#web/ui/use-lazy-part.ts'

const loadReferralQr = async () => (await import('./referral-qr.tsx')).ReferralQr

interface ReferralQrDialogProps {
  url: string
  open: boolean
  onClose: () => void
}

/** The referral link as a QR code; its script comes when it is first wanted. */
export function ReferralQrDialog({ url, open, onClose }: ReferralQrDialogProps) {
  const { Part: ReferralQr, hasFailed, retry } = useLazyPart(open, loadReferralQr)
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="QR code"
      description={<span className="font-mono wrap-anywhere">{url}</span>}
    >
      {ReferralQr !== undefined ? (
        <ReferralQr url={url} />
      ) : hasFailed ? (
        <p role="alert" className="flex flex-wrap items-center gap-4 text-sm">
          {connectionTexts.partFailed}
          <Button size="small" onClick={retry}>
            Try Again
          </Button>
        </p>
      ) : (
        <output
          className="block h-[278px] animate-pulse rounded-xl bg-sunken"
          aria-label="Drawing the QR code"
        />
      )}
    </Dialog>
  )
}
