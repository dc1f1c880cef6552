import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { LinkCard } from './link-card.tsx'
import { LazyQrPanel } from './lazy-qr-panel.tsx'

const cardId = 'qr'

/** Brings the QR code of the page into sight, and the focus to it. */
export function showQrCode(): void {
  const card = document.getElementById(cardId)
  card?.scrollIntoView({ block: 'center', behavior: 'smooth' })
  card?.querySelector<HTMLElement>('section')?.focus({ preventScroll: true })
}

/** The QR code, at any time; the address of the page with #qr leads to it. */
export function LinkQrCode({ shortCode, userId }: { shortCode: string; userId: string }) {
  const isAskedFor = useLocation().hash === cardId
  useEffect(() => {
    if (isAskedFor) showQrCode()
  }, [isAskedFor])
  return (
    <div id={cardId}>
      <LinkCard title="QR code">
        {/* As high as the code and what is below it: what stands under the card does not move. */}
        <div className="mt-3 min-h-88 pointer-coarse:min-h-92">
          <LazyQrPanel
            shortCode={shortCode}
            userId={userId}
            className="min-h-[21rem] content-start"
          />
        </div>
      </LinkCard>
    </div>
  )
}
