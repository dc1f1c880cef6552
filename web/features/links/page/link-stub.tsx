import { QRCodeSVG } from 'qrcode.react'
import { useRef, useState } from 'react'
import { qrAddress } from '#domain/links/qr-address.ts'
import { shortLinkUrl } from '#web/site.ts'
import { qrQuietModules, savePng, saveSvg } from '#web/ui/save-qr-code.ts'
import { TagDownload } from './tag-download.tsx'
import { useQrDownload } from '../qr/use-qr-download.ts'

interface LinkStubProps {
  shortCode: string
  userId: string
  /** Shows the code large. */
  onOpen: () => void
}

const itemClass =
  'inline-flex min-h-8 cursor-pointer items-center rounded-md px-1.5 text-xs text-ink-soft hover:bg-sunken hover:text-ink aria-disabled:opacity-60 pointer-coarse:min-h-11'

/** The stub of a link's tag: its QR code, and the files that it is saved as. */
export function LinkStub({ shortCode, userId, onOpen }: LinkStubProps) {
  const drawing = useRef<SVGSVGElement>(null)
  const [color, setColor] = useState('#000000')
  const download = useQrDownload({ userId, drawing })
  const url = shortLinkUrl(shortCode)
  return (
    <div className="grid justify-items-center gap-2">
      <button
        type="button"
        title="Show the QR code"
        aria-keyshortcuts="q"
        onClick={onOpen}
        className="rounded-xl bg-white"
      >
        <QRCodeSVG
          ref={drawing}
          value={qrAddress(url)}
          size={148}
          level="H"
          marginSize={qrQuietModules}
          fgColor={color}
          bgColor="#ffffff"
          title={`QR code of ${url}`}
        />
      </button>
      <div className="flex gap-0.5">
        <button
          type="button"
          className={itemClass}
          aria-label="Download as PNG"
          aria-disabled={download.busy}
          onClick={() => download.run((drawn) => savePng(drawn, shortCode, color))}
        >
          PNG
        </button>
        <button
          type="button"
          className={itemClass}
          aria-label="Download as SVG"
          aria-disabled={download.busy}
          onClick={() => download.run((drawn) => saveSvg(drawn, shortCode))}
        >
          SVG
        </button>
        <TagDownload {...{ shortCode, userId }} className={itemClass} />
        <label
          className={`${itemClass} relative has-focus-visible:outline-2 has-focus-visible:outline-[var(--focus)]`}
        >
          Color
          <input
            type="color"
            aria-label="QR Code Color"
            value={color}
            onChange={(event) => setColor(event.target.value)}
            className="absolute inset-0 size-full cursor-pointer opacity-0"
          />
        </label>
      </div>
    </div>
  )
}
