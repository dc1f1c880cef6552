import { useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { QRCodeCanvas } from 'qrcode.react'
import { useId, useRef, useState } from 'react'
import { contrastWithWhite } from '#domain/colors.ts'
import { notices, qrLimitReachedNotice } from '#domain/texts.ts'
import { planQuery } from '#web/plan/plan.ts'
import { tables } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { rememberQrCode } from './checklist-memory.ts'

const size = 200
const failed = { title: 'Error', description: 'Failed to download QR code. Please try again.' }

interface QrPanelProps {
  url: string
  shortCode: string
  userId: string
}

export function QrPanel({ url, shortCode, userId }: QrPanelProps) {
  const id = useId()
  const client = useQueryClient()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [color, setColor] = useState('#000000')
  const [busy, setBusy] = useState(false)

  async function download() {
    setBusy(true)
    try {
      const limit = await limitInTheWay()
      if (limit !== null) return notifyError(qrLimitReachedNotice(limit))
      if (canvas.current === null) return notifyError(failed)
      savePng(canvas.current, shortCode)
      notifySuccess(notices.downloaded)
      rememberQrCode(userId)
      void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    } catch {
      notifyError(failed)
    } finally {
      setBusy(false)
    }
  }

  // Counts the download and says which limit refuses it. The free plan is not asked (specification §6).
  async function limitInTheWay(): Promise<number | null> {
    const plan = await client.ensureQueryData(planQuery(userId))
    if (plan === 'free') return null
    const { data } = await tables.rpc('increment_qr_usage', { _user_id: userId }).throwOnError()
    return data.allowed ? null : data.limit
  }

  return (
    <div className="mt-6 flex animate-appear flex-col items-center gap-6 border-t border-line pt-6 sm:flex-row">
      <div className="rounded-2xl border border-line bg-white p-2">
        <QRCodeCanvas
          ref={canvas}
          value={url}
          size={size}
          level="H"
          marginSize={2}
          fgColor={color}
          bgColor="#ffffff"
          aria-label={`QR code of ${url}`}
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
        <Button busy={busy} onClick={() => void download()}>
          <Download size={17} aria-hidden />
          Download QR Code
        </Button>
      </div>
    </div>
  )
}

// The canvas on the screen has as many pixels as the screen needs; the file always has 200 by 200.
function savePng(shown: HTMLCanvasElement, name: string): void {
  const file = document.createElement('canvas')
  file.width = size
  file.height = size
  file.getContext('2d')?.drawImage(shown, 0, 0, size, size)
  const link = document.createElement('a')
  link.download = `${name}.png`
  link.href = file.toDataURL('image/png')
  link.click()
}
