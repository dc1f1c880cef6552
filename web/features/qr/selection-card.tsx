import { useMemo } from 'react'
import { drawQr } from '#domain/qr/draw-qr.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import { QrPicture } from '#web/qr/qr-picture.tsx'
import { shortLinkUrl } from '#web/site.ts'
import { shownCode } from '#web/shown-link.ts'
import { type QrTarget, scannedAddress } from './qr-source.ts'

/** Codes in sight: each change of the look draws all of them. */
const mostShown = 12

interface SelectionCardProps {
  targets: readonly QrTarget[]
  look: QrLook
}

/** The codes of several links in one look. */
export function SelectionCard({ targets, look }: SelectionCardProps) {
  const shown = useMemo(
    () =>
      targets
        .slice(0, mostShown)
        .map((target) => ({ target, drawing: drawQr(scannedAddress(target), look) })),
    [targets, look],
  )
  return (
    <section
      aria-labelledby="selected-codes"
      className="grid gap-3 rounded-2xl border border-line bg-surface p-4 sm:p-5"
    >
      <h2 id="selected-codes" className="text-sm font-medium">
        Selected links{' '}
        <span className="font-normal text-ink-soft">
          {targets.length > mostShown
            ? `the first ${mostShown} of ${targets.length.toLocaleString('en')}`
            : targets.length}
        </span>
      </h2>
      <ul className="grid grid-cols-3 gap-3 sm:grid-cols-4 lg:grid-cols-6">
        {shown.map(({ target: { id, code, title }, drawing }) => (
          <li key={id} className="min-w-0 text-center">
            <QrPicture
              drawing={drawing}
              title={`QR code of ${shortLinkUrl(code)}`}
              className="h-auto w-full rounded-lg border border-line"
            />
            <span className="block truncate pt-1 font-mono text-xs text-ink-soft" title={title}>
              {shownCode(code)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
