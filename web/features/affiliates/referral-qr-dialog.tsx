import { connectionTexts } from '#domain/account-texts.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
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
        <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
      ) : (
        <output
          className="block h-[278px] animate-pulse rounded-xl bg-sunken"
          aria-label="Drawing the QR code"
        />
      )}
    </Dialog>
  )
}
