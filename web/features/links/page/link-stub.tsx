import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { nameInAddress } from '#domain/links/link-address.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { drawQr } from '#domain/qr/draw-qr.ts'
import { useDefaultLook } from '#web/qr/looks-query.ts'
import { QrPicture } from '#web/qr/qr-picture.tsx'
import { saveQr } from '#web/qr/save-qr.ts'
import { coloredLook } from '#domain/qr/qr-look.ts'
import { routes } from '#domain/routes.ts'
import { shortLinkUrl } from '#web/site.ts'
import { TagDownload } from './tag-download.tsx'
import { useQrDownload } from '#web/qr/use-qr-download.ts'

interface LinkStubProps {
  /** A text of `namedOn`. */
  code: string
  userId: string
  /** Shows the code large. */
  onOpen: () => void
}

const itemClass =
  'inline-flex min-h-8 cursor-pointer items-center rounded-md px-1.5 text-xs text-ink-soft hover:bg-sunken hover:text-ink aria-disabled:opacity-60 pointer-coarse:min-h-11'

/** The stub of a link's tag: its QR code, and the files that it is saved as. */
export function LinkStub({ code, userId, onOpen }: LinkStubProps) {
  const standard = useDefaultLook(userId)
  const [color, setColor] = useState<string>()
  const download = useQrDownload(userId)
  const url = shortLinkUrl(code)
  const drawing = useMemo(
    () => drawQr(qrAddress(url), coloredLook(standard, color)),
    [url, standard, color],
  )
  return (
    <div className="grid justify-items-center gap-2">
      <button
        type="button"
        title="Show the QR code"
        aria-keyshortcuts="q"
        onClick={onOpen}
        className="rounded-xl bg-white"
      >
        <QrPicture drawing={drawing} width={148} title={`QR code of ${url}`} />
      </button>
      <div className="flex max-w-44 flex-wrap justify-center gap-0.5">
        <button
          type="button"
          className={itemClass}
          aria-label="Download as PNG"
          aria-disabled={download.busy}
          onClick={() => download.run(() => saveQr(drawing, code, 'png'))}
        >
          PNG
        </button>
        <button
          type="button"
          className={itemClass}
          aria-label="Download as SVG"
          aria-disabled={download.busy}
          onClick={() => download.run(() => saveQr(drawing, code, 'svg'))}
        >
          SVG
        </button>
        <Link
          to={routes.qrStudio.path}
          search={{ link: nameInAddress(code) }}
          className={itemClass}
        >
          Design
        </Link>
        <TagDownload {...{ code, userId }} className={itemClass} />
        <label
          className={`${itemClass} relative has-focus-visible:outline-2 has-focus-visible:outline-[var(--focus)]`}
        >
          Color
          <input
            type="color"
            aria-label="QR Code Color"
            value={color ?? standard.color}
            onChange={(event) => setColor(event.target.value)}
            className="absolute inset-0 size-full cursor-pointer opacity-0"
          />
        </label>
      </div>
    </div>
  )
}
