import { useQueryClient } from '@tanstack/react-query'
import { drawQr, type QrDrawing } from '#domain/qr/draw-qr.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import { qrLimitReachedNotice } from '#domain/texts/plan-texts.ts'
import { type Notice, notices } from '#domain/texts/texts.ts'
import { qrLimitInTheWay } from '#web/qr/qr-limit.ts'
import { qrPng, scaleFor, smallPixels, smallPng, svgOf } from '#web/qr/save-qr.ts'
import type { CheckState } from '#web/qr/use-qr-check.ts'
import { rememberQrCode } from '#web/session/checklist-memory.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { saveBlob } from '#web/ui/save-blob.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { type PngWidth, pngWidths } from './download-menu.tsx'
import { FilesButton } from './files-button.tsx'
import { type QrTarget, scannedAddress } from './qr-source.ts'

const failed = { title: 'Error', description: 'Failed to download QR codes. Please try again.' }

/** Codes of a file. */
const maxCodes = 100

interface ZipMenuProps {
  userId: string
  targets: readonly QrTarget[]
  look: QrLook
  /** Verdict about the densest of the codes. */
  state: CheckState
  width: PngWidth
  onWidth: (width: PngWidth) => void
}

/** Saves the codes of several links as one file. */
export function ZipMenu({ userId, targets, look, state, width, onWidth }: ZipMenuProps) {
  const zip = useZip(userId, targets, look)
  const png = (pixels: number) => (drawing: QrDrawing) => qrPng(drawing, scaleFor(drawing, pixels))
  const pngs = pngWidths.map((each) => ({
    name: `ZIP of PNG, ${each} px and more`,
    save: () => {
      onWidth(each)
      zip.run('png', png(each))
    },
  }))
  const svg = (drawing: QrDrawing, code: string) => Promise.resolve(svgOf(drawing, code))
  return (
    <>
      <FilesButton
        state={state}
        busy={zip.busy}
        main={{ name: 'Download ZIP', save: () => zip.run('png', png(width)) }}
        others={[
          ...pngs,
          { name: `ZIP of PNG, ${smallPixels} px`, save: () => zip.run('png', smallPng) },
          { name: 'ZIP of SVG', save: () => zip.run('svg', svg) },
        ]}
      />
      {targets.length > maxCodes ? (
        <p className="basis-full text-sm text-ink-soft">
          One file has the first {maxCodes} codes. A print sheet has all.
        </p>
      ) : null}
    </>
  )
}

type Make = (drawing: QrDrawing, code: string) => Promise<Blob>

/** Each code counts as a download; the first one that the plan refuses, or that fails, ends the file. */
function useZip(userId: string, targets: readonly QrTarget[], look: QrLook) {
  const client = useQueryClient()
  return useAction(async (type: 'png' | 'svg', make: Make) => {
    const files: Record<string, Uint8Array> = {}
    let problem: Notice | undefined
    for (const target of targets.slice(0, maxCodes)) {
      const { code } = target
      try {
        const limit = await qrLimitInTheWay(client, userId)
        if (limit === null) {
          const blob = await make(drawQr(scannedAddress(target), look), code)
          files[`${code}.${type}`] = new Uint8Array(await blob.arrayBuffer())
        } else problem = qrLimitReachedNotice(limit)
      } catch {
        problem = failed
      }
      if (problem !== undefined) break
    }
    if (problem !== undefined) notifyError(problem)
    void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    // Those before a failure count as downloads, so they are saved.
    if (Object.keys(files).length === 0) return
    try {
      const { zipSync } = await import('fflate')
      // A PNG is compressed already.
      const zip = zipSync(files, { level: type === 'png' ? 0 : 6 })
      saveBlob(new Blob([new Uint8Array(zip)], { type: 'application/zip' }), 'qr-codes.zip')
    } catch {
      return notifyError(failed)
    }
    notifySuccess(notices.downloaded)
    rememberQrCode(userId)
  })
}
