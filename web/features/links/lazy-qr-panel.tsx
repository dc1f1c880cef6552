import { connectionTexts } from '#domain/account-texts.ts'
import { shortLinkUrl } from '#web/site.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { useLazyPart } from '#web/ui/use-lazy-part.ts'

const loadQrPanel = async () => (await import('./qr-panel.tsx')).QrPanel

interface LazyQrPanelProps {
  shortCode: string
  userId: string
  className?: string
}

/** The QR code of a link; its script comes when it is first wanted. */
export function LazyQrPanel({ shortCode, userId, className }: LazyQrPanelProps) {
  const { Part: QrPanel, hasFailed, retry } = useLazyPart(true, loadQrPanel)
  if (QrPanel !== undefined)
    return (
      <QrPanel
        url={shortLinkUrl(shortCode)}
        shortCode={shortCode}
        userId={userId}
        className={className}
      />
    )
  if (hasFailed) return <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
  // As high as the code, so that nothing moves when it comes.
  return (
    <output
      className="block h-[218px] animate-pulse rounded-xl bg-sunken"
      aria-label="Drawing the QR code"
    />
  )
}
