import { codeOfLink } from '#domain/links/link-address.ts'
import { shownLink } from '#web/shown-link.ts'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import type { LinkRow } from '#web/api/database.ts'
import { clicksInWords } from './link-clicks.tsx'

interface DeleteLinkDialogProps {
  /** The dialog is open while there are some. */
  links: readonly LinkRow[]
  busy: boolean
  onClose: () => void
  onConfirm: (links: readonly LinkRow[]) => void
}

export function DeleteLinkDialog({ links, ...rest }: DeleteLinkDialogProps) {
  const [first, ...others] = links
  return (
    <ConfirmDialog
      {...rest}
      subject={first === undefined ? undefined : links}
      title={others.length === 0 ? 'Delete this link?' : `Delete ${links.length} links?`}
      describe={() =>
        first === undefined ? null : others.length === 0 ? (
          <>
            <span className="font-mono break-all text-ink">{shownLink(codeOfLink(first))}</span>{' '}
            will stop working, and its {lossOf(links)} will be lost.{slotsOf(links)}
          </>
        ) : (
          `They will stop working, and their ${lossOf(links)} will be lost.${slotsOf(links)}`
        )
      }
      action="Delete"
      busyAction="Deleting..."
    />
  )
}

function lossOf(links: readonly LinkRow[]): string {
  const clicks = links.reduce((sum, { click_count: count }) => sum + (count ?? 0), 0)
  const isShown = links.every(({ click_count: count }) => count !== null)
  if (isShown && clicks > 0) return clicksInWords(clicks)
  return links.length === 1 ? 'click count' : 'click counts'
}

/** On Free, which hides clicks, a clicked link is held with its place (decision 0017). */
function slotsOf(links: readonly LinkRow[]): string {
  if (links.every(({ click_count: count }) => count !== null)) return ''
  return links.length === 1
    ? ' A clicked link keeps its slot for 30 days.'
    : ' Clicked links keep their slots for 30 days.'
}
