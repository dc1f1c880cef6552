import { Download } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { contrastWithWhite } from '#domain/colors.ts'
import { qrAddress } from '#domain/links/qr-address.ts'
import { drawQr } from '#domain/qr/draw-qr.ts'
import { coloredLook, plainQrLook, type QrLook } from '#domain/qr/qr-look.ts'
import { QrPicture } from '#web/qr/qr-picture.tsx'
import { saveQr, smallPixels } from '#web/qr/save-qr.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { useQrDownload } from '#web/qr/use-qr-download.ts'

interface QrPanelProps {
  /** A text of `namedOn`. */
  code: string
  userId: string
  /** Default: plain and black, as the specification describes the code of a new link. */
  look?: QrLook
  className?: string | undefined
}

/** A short link as a QR code in any color, to download as PNG or as SVG. */
export function QrPanel({ code, userId, look = plainQrLook, className }: QrPanelProps) {
  const url = shortLinkUrl(code)
  const id = useId()
  const [chosen, setColor] = useState<string>()
  const color = chosen ?? look.color
  const contrast = contrastWithWhite(color)
  const isUnreadable = contrast < 1.5
  const drawing = useMemo(
    () => drawQr(qrAddress(url), coloredLook(look, chosen)),
    [url, look, chosen],
  )
  const download = useQrDownload(userId)

  return (
    <div className={`flex animate-appear flex-wrap gap-5 ${className ?? ''}`}>
      <div className="w-fit rounded-xl border border-line bg-white p-2">
        <QrPicture drawing={drawing} width={smallPixels} title={`QR code of ${url}`} />
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
            onClick={() => download.run(() => saveQr(drawing, code, 'png'))}
          >
            <Download size={16} aria-hidden />
            Download QR Code
          </Button>
          <Button
            size="small"
            busy={download.busy}
            disabled={isUnreadable}
            aria-label="Download as SVG"
            onClick={() => download.run(() => saveQr(drawing, code, 'svg'))}
          >
            SVG
          </Button>
        </div>
      </div>
    </div>
  )
}
