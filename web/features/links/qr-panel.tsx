import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { QRCodeSVG } from 'qrcode.react'
import { useId, useRef, useState } from 'react'
import { contrastWithWhite } from '#domain/colors.ts'
import { qrAddress } from '#domain/qr-address.ts'
import { notices, qrLimitReachedNotice } from '#domain/texts.ts'
import { planQuery } from '#web/plan/plan.ts'
import { tables } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { qrQuietModules, qrSizePixels, savePng, saveSvg } from '#web/ui/save-qr-code.ts'
import { useAction } from '#web/ui/use-action.ts'
import { rememberQrCode } from './checklist-memory.ts'

const failed = { title: 'Error', description: 'Failed to download QR code. Please try again.' }

interface QrPanelProps {
  url: string
  shortCode: string
  userId: string
  className?: string | undefined
}

/** A short link as a QR code in any color, to download as PNG or as SVG. */
export function QrPanel({ url, shortCode, userId, className }: QrPanelProps) {
  const id = useId()
  const client = useQueryClient()
  const code = useRef<SVGSVGElement>(null)
  const [color, setColor] = useState('#000000')

  const download = useAction(async (save: typeof savePng) => {
    try {
      const limit = await limitInTheWay()
      if (limit !== null) return notifyError(qrLimitReachedNotice(limit))
      if (code.current === null) return notifyError(failed)
      save(code.current, shortCode, color)
      notifySuccess(notices.downloaded)
      rememberQrCode(userId)
      void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    } catch {
      notifyError(failed)
    }
  })

  // Counts the download and says which limit refuses it. Downloads on the free plan are neither counted nor limited.
  async function limitInTheWay(): Promise<number | null> {
    const plan = await client.ensureQueryData(planQuery(userId))
    if (plan === 'free') return null
    const { data } = await tables.rpc('increment_qr_usage', { _user_id: userId }).throwOnError()
    return data.allowed ? null : data.limit
  }

  return (
    <div className={`flex animate-appear flex-wrap gap-5 ${className ?? ''}`}>
      <div className="w-fit rounded-xl border border-line bg-white p-2">
        <QRCodeSVG
          ref={code}
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
          {contrastWithWhite(color) < 3 ? (
            <output className="max-w-60 text-sm text-danger">
              This color is so light that some cameras may not read the code.
            </output>
          ) : null}
        </div>
        <div className="flex flex-wrap gap-2">
          <Button size="small" busy={download.busy} onClick={() => download.run(savePng)}>
            <Download size={16} aria-hidden />
            Download QR Code
          </Button>
          <Button
            size="small"
            busy={download.busy}
            aria-label="Download as SVG"
            onClick={() => download.run(saveSvg)}
          >
            SVG
          </Button>
        </div>
      </div>
    </div>
  )
}
