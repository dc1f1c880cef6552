import { site } from '#web/site.ts'
import { ConfirmDialog } from '#web/ui/confirm-dialog.tsx'
import type { LinkRow } from '#web/database.ts'

interface DeleteLinkDialogProps {
  link: LinkRow | undefined
  busy: boolean
  onClose: () => void
  onConfirm: (link: LinkRow) => void
}

export function DeleteLinkDialog({ link, ...rest }: DeleteLinkDialogProps) {
  return (
    <ConfirmDialog
      {...rest}
      subject={link}
      title="Delete this link?"
      describe={({ short_code }) => (
        <>
          <span className="font-mono break-all text-ink">
            {site.host}/{short_code}
          </span>{' '}
          will stop working, and its click count will be lost.
        </>
      )}
      action="Delete"
      busyAction="Deleting..."
    />
  )
}
