import { useQueryClient } from '@tanstack/react-query'
import type { QrDrawing } from '#domain/qr/draw-qr.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import {
  leastCellPixels,
  qrPng,
  scaleFor,
  smallPixels,
  smallPng,
  smallScale,
  svgOf,
} from '#web/qr/save-qr.ts'
import type { CheckState } from '#web/qr/use-qr-check.ts'
import { useQrDownload } from '#web/qr/use-qr-download.ts'
import { postAsCaller } from '#web/session/caller.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { saveBlob } from '#web/ui/save-blob.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { notices } from '#domain/texts/texts.ts'
import { FilesButton } from './files-button.tsx'

/** Widths of a PNG in pixels. */
export const pngWidths = [512, 1_024, 2_048] as const
export type PngWidth = (typeof pngWidths)[number]

interface DownloadMenuProps {
  userId: string
  drawing: QrDrawing
  look: QrLook
  state: CheckState
  /** File name without its type. */
  name: string
  /** Pixels of the width of the PNG. */
  width: PngWidth
  onWidth: (width: PngWidth) => void
  /** Query of the server's PDF; none for a static code, which stays in the browser. */
  pdfQuery: Readonly<Record<string, string>> | undefined
}

const failed = { title: 'Error', description: 'Failed to download QR code. Please try again.' }

/** Saves the code: the large PNG first, and other files in a menu. */
export function DownloadMenu(props: DownloadMenuProps) {
  const { userId, drawing, look, state, name, width, onWidth, pdfQuery } = props
  const download = useQrDownload(userId)
  const pdf = usePdf(userId, look, name, pdfQuery)
  /** A static code is no code of the plan, so nothing counts it. */
  const save = (make: () => Promise<Blob>, type: 'png' | 'svg') => {
    const write = async () => saveBlob(await make(), `${name}.${type}`)
    if (pdfQuery !== undefined) return download.run(write)
    void write().then(
      () => notifySuccess(notices.downloaded),
      () => notifyError(failed),
    )
  }
  const isSmall = smallScale(drawing) >= leastCellPixels
  const savePng = (pixels: number) => save(() => qrPng(drawing, scaleFor(drawing, pixels)), 'png')
  const pngs = pngWidths.map((each) => ({
    name: `PNG, ${scaleFor(drawing, each) * drawing.width} px`,
    save: () => {
      onWidth(each)
      savePng(each)
    },
  }))
  const small = {
    name: isSmall
      ? `PNG, ${smallPixels} px`
      : `PNG, ${smallPixels} px: cells of ${smallScale(drawing)} px, better take a larger one`,
    save: () => save(() => smallPng(drawing), 'png'),
  }
  const svg = { name: 'SVG', save: () => save(() => Promise.resolve(svgOf(drawing, name)), 'svg') }
  const pdfs = pdfQuery === undefined ? [] : [{ name: 'PDF', save: () => pdf.run() }]
  return (
    <FilesButton
      state={state}
      busy={download.busy || pdf.busy}
      main={{ name: 'Download PNG', save: () => savePng(width) }}
      others={[...pngs, small, svg, ...pdfs]}
    />
  )
}

/** The server draws PDFs. */
function usePdf(
  userId: string,
  look: QrLook,
  name: string,
  query: Readonly<Record<string, string>> | undefined,
) {
  const client = useQueryClient()
  return useAction(async () => {
    try {
      const body = { ...query, look, format: 'pdf' }
      const response = await postAsCaller('/functions/v1/qr-code', body)
      if (!response.ok) {
        const { error } = (await response.json()) as { error?: string }
        return notifyError({ title: error ?? failed.description })
      }
      saveBlob(await response.blob(), `${name}.pdf`)
      notifySuccess(notices.downloaded)
      void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    } catch {
      notifyError(failed)
    }
  })
}
