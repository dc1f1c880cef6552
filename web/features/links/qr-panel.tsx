import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { QRCodeSVG } from 'qrcode.react'
import { useId, useRef, useState } from 'react'
import { contrastWithWhite } from '#domain/colors.ts'
import { notices, qrLimitReachedNotice } from '#domain/texts.ts'
import { planQuery } from '#web/plan/plan.ts'
import { tables } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { useAction } from '#web/ui/use-action.ts'
import { rememberQrCode } from './checklist-memory.ts'

const sizePixels = 200
/** What the standard asks for (ISO/IEC 18004). */
const quietModules = 4
const failed = { title: 'Error', description: 'Failed to download QR code. Please try again.' }

interface QrPanelProps {
  url: string
  shortCode: string
  userId: string
}

export function QrPanel({ url, shortCode, userId }: QrPanelProps) {
  const id = useId()
  const client = useQueryClient()
  const code = useRef<SVGSVGElement>(null)
  const [color, setColor] = useState('#000000')

  const download = useAction(async () => {
    try {
      const limit = await limitInTheWay()
      if (limit !== null) return notifyError(qrLimitReachedNotice(limit))
      if (code.current === null) return notifyError(failed)
      savePng(code.current, color, shortCode)
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
    <div className="mt-6 flex animate-appear flex-col items-center gap-6 border-t border-line pt-6 sm:flex-row">
      <div className="rounded-2xl border border-line bg-white p-2">
        <QRCodeSVG
          ref={code}
          value={url}
          size={sizePixels}
          level="H"
          marginSize={quietModules}
          fgColor={color}
          bgColor="#ffffff"
          title={`QR code of ${url}`}
        />
      </div>
      <div className="grid w-full justify-items-start gap-5 sm:w-auto">
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
              className="h-11 w-16 cursor-pointer rounded-xl border border-edge bg-surface p-1"
            />
            <span className="font-mono text-sm text-ink-soft uppercase">{color}</span>
          </div>
          {contrastWithWhite(color) < 3 ? (
            <output className="max-w-60 text-sm text-danger">
              This color is so light that some cameras may not read the code.
            </output>
          ) : null}
        </div>
        <Button busy={download.busy} onClick={() => download.run()}>
          <Download size={17} aria-hidden />
          Download QR Code
        </Button>
      </div>
    </div>
  )
}

/**
 * Draws the code of the screen as a PNG of 200 by 200 whose modules are whole pixels: scaled by a fraction their edges
 * would blur. The quiet zone takes what is left, never less than its four modules.
 */
function savePng(shown: SVGSVGElement, color: string, name: string): void {
  const cells = shown.viewBox.baseVal.width
  const modulePixels = Math.floor(sizePixels / cells)
  const offset = Math.floor((sizePixels - modulePixels * cells) / 2)
  const file = document.createElement('canvas')
  file.width = sizePixels
  file.height = sizePixels
  const context = file.getContext('2d')
  if (context === null) throw new Error('no canvas')
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, sizePixels, sizePixels)
  context.setTransform(modulePixels, 0, 0, modulePixels, offset, offset)
  context.fillStyle = color
  // The first path is the background.
  context.fill(new Path2D(shown.querySelector('path:last-of-type')?.getAttribute('d') ?? ''))
  const link = document.createElement('a')
  link.download = `${name}.png`
  link.href = file.toDataURL('image/png')
  link.click()
}
