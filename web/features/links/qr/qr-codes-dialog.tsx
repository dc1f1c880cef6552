import { useQueryClient } from '@tanstack/react-query'
import { zipSync } from 'fflate'
import { Download, Printer } from 'lucide-react'
import { useMemo, useState } from 'react'
import { qrAddress } from '#domain/links/qr-address.ts'
import { drawQr } from '#domain/qr/draw-qr.ts'
import { useDefaultLook } from '#web/qr/looks-query.ts'
import { qrLimitReachedNotice } from '#domain/texts/plan-texts.ts'
import { type Notice, notices } from '#domain/texts/texts.ts'
import type { LinkRow } from '#web/api/database.ts'
import { shortLinkUrl } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import { DialogActions } from '#web/ui/dialogs/dialog.tsx'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { saveBlob } from '#web/ui/save-blob.ts'
import { QrPicture } from '#web/qr/qr-picture.tsx'
import { smallPng } from '#web/qr/save-qr.ts'
import { PrintSheet } from '#web/qr/sheet/print-sheet.tsx'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { qrLimitInTheWay } from '#web/qr/qr-limit.ts'
import { rememberQrCode } from '#web/session/checklist-memory.ts'

const failed = { title: 'Error', description: 'Failed to download QR codes. Please try again.' }

/** Maximum per file. */
const maxCodes = 100

interface QrCodesProps {
  userId: string
  links: readonly LinkRow[]
  onClose: () => void
}

/** The QR codes of several links as one ZIP file. Each counts as a download; the first one that the plan refuses, or that fails, ends it. */
export function QrCodes({ userId, links, onClose }: QrCodesProps) {
  const client = useQueryClient()
  const look = useDefaultLook(userId)
  const codes = useMemo(
    () =>
      links.slice(0, maxCodes).map(({ id, short_code: code }) => ({
        id,
        code,
        drawing: drawQr(qrAddress(shortLinkUrl(code)), look),
      })),
    [links, look],
  )
  const close = useWhileShown(onClose)
  const [isPrinting, setPrinting] = useState(false)
  const download = useAction(async () => {
    const files: Record<string, Uint8Array> = {}
    let problem: Notice | undefined
    for (const { code, drawing } of codes) {
      try {
        const limit = await qrLimitInTheWay(client, userId)
        if (limit === null)
          files[`${code}.png`] = new Uint8Array(await (await smallPng(drawing)).arrayBuffer())
        else problem = qrLimitReachedNotice(limit)
      } catch {
        problem = failed
      }
      if (problem !== undefined) break
    }
    if (problem !== undefined) notifyError(problem)
    void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    // Those before a failure count as downloads, so they are saved.
    if (Object.keys(files).length === 0) return
    // A PNG is compressed already.
    const zip = zipSync(files, { level: 0 })
    saveBlob(new Blob([new Uint8Array(zip)], { type: 'application/zip' }), 'qr-codes.zip')
    notifySuccess(notices.downloaded)
    if (problem !== failed) close()
  })
  return (
    <>
      <ul className="grid max-h-80 grid-cols-3 gap-3 overflow-y-auto sm:grid-cols-4">
        {codes.map(({ id, code, drawing }) => (
          <li key={id} className="min-w-0 text-center">
            <QrPicture
              drawing={drawing}
              title={`QR code of ${shortLinkUrl(code)}`}
              className="h-auto w-full rounded-xl border border-line bg-white"
            />
            <span className="block truncate pt-1 font-mono text-xs text-ink-soft">/{code}</span>
          </li>
        ))}
      </ul>
      {links.length > maxCodes ? (
        <p className="text-sm text-ink-soft">One file has the first {maxCodes} codes.</p>
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button onClick={() => setPrinting(true)}>
          <Printer size={16} aria-hidden />
          Print sheet
        </Button>
        <Button look="accent" busy={download.busy} onClick={() => download.run()}>
          <Download size={16} aria-hidden />
          Download ZIP
        </Button>
      </DialogActions>
      {isPrinting ? (
        <PrintSheet
          userId={userId}
          source={{ kind: 'codes', codes: links.map(({ short_code: code }) => code) }}
          look={look}
          cells={Math.max(...codes.map(({ drawing }) => drawing.code.size))}
          onClose={() => setPrinting(false)}
          onDownloaded={() => rememberQrCode(userId)}
        />
      ) : null}
    </>
  )
}
