import { Download } from 'lucide-react'
import { QRCodeSVG } from 'qrcode.react'
import { useId, useRef, useState } from 'react'
import { contrastWithWhite } from '#domain/colors.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { qrQuietModules, qrSizePixels, savePng, saveSvg } from '#web/ui/save-qr-code.ts'
import { useQrDownload } from './use-qr-download.ts'

interface QrPanelProps {
  shortCode: string
  userId: string
  className?: string | undefined
}

/** A short link as a QR code in any color, to download as PNG or as SVG. */
export function QrPanel({ shortCode, userId, className }: QrPanelProps) {
  const url = shortLinkUrl(shortCode)
  const id = useId()
  const drawing = useRef<SVGSVGElement>(null)
  const [color, setColor] = useState('#000000')
  const contrast = contrastWithWhite(color)
  const isUnreadable = contrast < 1.5
  const download = useQrDownload({ userId, drawing })

  return (
    <div className={`flex animate-appear flex-wrap gap-5 ${className ?? ''}`}>
      <div className="w-fit rounded-xl border border-line bg-white p-2">
        <QRCodeSVG
          ref={drawing}
          value={qrAddress(url)}
          size={qrSizePixels}
          level="H"
          marginSize={qrQuietModules}
          fgColor={color}
          bgColor="#ffffff"
          title={`QR code of ${url}`}
        />
      </div>
      <div className="grid content-center justify-items-start gap-4">
        <div className="grid gap-1.5">
          <label htmlFor={id} className="text-sm font-medium">
            QR Code Color
          </label>
          <div className="flex items-center gap-3">
            <input
              id={id}
              type="color"
              value={color}
              onChange={(event) => setColor(event.target.value)}
              className="h-9 w-14 cursor-pointer rounded-xl border border-edge bg-surface p-1 pointer-coarse:h-11"
            />
            <span className="font-mono text-sm text-ink-soft uppercase">{color}</span>
          </div>
          {contrast < 3 ? (
            <output className="max-w-60 text-sm text-danger">
              {isUnreadable
                ? 'No camera can read this color on white. Choose a darker one to download the code.'
                : 'This color is so light that some cameras may not read the code.'}
            </output>
          ) : null}
        </div>
        <div className="flex flex-wrap gap-2">
          <Button
            size="small"
            busy={download.busy}
            disabled={isUnreadable}
            onClick={() => download.run((drawn) => savePng(drawn, shortCode, color))}
          >
            <Download size={16} aria-hidden />
            Download QR Code
          </Button>
          <Button
            size="small"
            busy={download.busy}
            disabled={isUnreadable}
            aria-label="Download as SVG"
            onClick={() => download.run((drawn) => saveSvg(drawn, shortCode))}
          >
            SVG
          </Button>
        </div>
      </div>
    </div>
  )
}
