import { useQueryClient } from '@tanstack/react-query'
import { ChevronDown, Download } from 'lucide-react'
import { useState } from 'react'
import type { QrVerdict } from '#domain/qr/check-qr.ts'
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
import { Button, buttonClass } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { Popover, popoverItemClass } from '#web/ui/menus/popover.tsx'
import { saveBlob } from '#web/ui/save-blob.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { notices } from '#domain/texts/texts.ts'
import { problemText } from './check-card.tsx'

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

/** Saves the code: the large PNG first, and other files in a menu. A code that is not safe asks first. */
export function DownloadMenu(props: DownloadMenuProps) {
  const { userId, drawing, look, state, name, width, onWidth, pdfQuery } = props
  const [risky, setRisky] = useState<{ verdict: QrVerdict; save: () => void }>()
  const download = useQrDownload(userId)
  const pdf = usePdf(userId, look, name, pdfQuery)
  /** A static code is no code of the plan, so nothing counts it. */
  const save = (make: () => Promise<Blob>, type: 'png' | 'svg') => {
    const run = () => {
      const write = async () => saveBlob(await make(), `${name}.${type}`)
      if (pdfQuery !== undefined) return download.run(write)
      void write().then(
        () => notifySuccess(notices.downloaded),
        () => notifyError(failed),
      )
    }
    unlessRisky(run)
  }
  const unlessRisky = (run: () => void) => {
    if (typeof state === 'object' && state.smallest === undefined)
      setRisky({ verdict: state, save: run })
    else run()
  }
  const isSmall = smallScale(drawing) >= leastCellPixels
  const savePng = (pixels: number) => save(() => qrPng(drawing, scaleFor(drawing, pixels)), 'png')
  return (
    <div className="flex">
      <Button
        look="ink"
        busy={download.busy}
        className="grow rounded-r-none!"
        onClick={() => savePng(width)}
      >
        <Download size={17} aria-hidden />
        Download PNG
      </Button>
      <Popover
        label="Other files"
        icon={<ChevronDown size={17} aria-hidden />}
        buttonClass={`${buttonClass('ink')} rounded-l-none! border-l! border-l-paper/30! px-2.5!`}
      >
        {pngWidths.map((each) => (
          <button
            key={each}
            type="button"
            className={popoverItemClass}
            onClick={() => {
              onWidth(each)
              savePng(each)
            }}
          >
            PNG, {scaleFor(drawing, each) * drawing.width} px
          </button>
        ))}
        <button
          type="button"
          className={popoverItemClass}
          onClick={() => save(() => smallPng(drawing), 'png')}
        >
          {isSmall
            ? `PNG, ${smallPixels} px`
            : `PNG, ${smallPixels} px: cells of ${smallScale(drawing)} px, better take a larger one`}
        </button>
        <button
          type="button"
          className={popoverItemClass}
          onClick={() => save(() => Promise.resolve(svgOf(drawing, name)), 'svg')}
        >
          SVG
        </button>
        {pdfQuery === undefined ? null : (
          <button
            type="button"
            className={popoverItemClass}
            onClick={() => unlessRisky(() => pdf.run())}
          >
            PDF
          </button>
        )}
      </Popover>
      <ConfirmDialog
        subject={risky}
        title="This code may not scan"
        describe={({ verdict }) => `${problemText(verdict)} A printed code cannot be mended.`}
        action="Download anyway"
        busyAction="Download anyway"
        busy={false}
        onConfirm={({ save: confirmed }) => {
          confirmed()
          setRisky(undefined)
        }}
        onClose={() => setRisky(undefined)}
      />
    </div>
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
