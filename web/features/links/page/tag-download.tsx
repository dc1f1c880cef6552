import { useQueryClient } from '@tanstack/react-query'
import { readNamedOn } from '#domain/links/link-address.ts'
import { qrLimitReachedNotice } from '#domain/texts/plan-texts.ts'
import { notices } from '#domain/texts/texts.ts'
import { fetchAsCaller } from '#web/session/caller.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { Popover, popoverItemClass } from '#web/ui/menus/popover.tsx'
import { saveBlob } from '#web/ui/save-blob.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { rememberQrCode } from '#web/session/checklist-memory.ts'

const failed = { title: 'Error', description: 'Failed to download the tag. Please try again.' }
const formats = ['png', 'pdf'] as const

interface TagDownloadProps {
  /** A text of `namedOn`. */
  code: string
  userId: string
  /** Class of the button. */
  className: string
}

/** Saves the tag as a picture or for print. It counts as the download of a QR code. */
export function TagDownload({ code, userId, className }: TagDownloadProps) {
  const client = useQueryClient()
  const download = useAction(async (format: (typeof formats)[number]) => {
    try {
      const query = new URLSearchParams({ code, format })
      const response = await fetchAsCaller(`/functions/v1/link-tag?${query.toString()}`)
      if (!response.ok) return notifyError(refusalOf(await response.text()))
      saveBlob(await response.blob(), `${readNamedOn(code).name}-tag.${format}`)
      notifySuccess(notices.downloaded)
      rememberQrCode(userId)
      void client.invalidateQueries({ queryKey: ['account', userId, 'usage'] })
    } catch {
      notifyError(failed)
    }
  })
  return (
    <Popover label="Tag" icon={download.busy ? '…' : 'Tag'} buttonClass={className}>
      {formats.map((format) => (
        <button
          key={format}
          type="button"
          className={popoverItemClass}
          onClick={() => download.run(format)}
        >
          Download tag as {format.toUpperCase()}
        </button>
      ))}
    </Popover>
  )
}

/** The server says the limit of the day in words. */
function refusalOf(answer: string): typeof failed {
  const limit = /daily limit of (\d+) QR codes/.exec(answer)?.[1]
  return limit === undefined ? failed : { description: '', ...qrLimitReachedNotice(Number(limit)) }
}
