import { codeOfLink } from '#domain/links/link-address.ts'
import type { LinkRow } from '#web/api/database.ts'
import type { TagRow } from '#web/api/tags-query.ts'
import { ShareReportDialog } from '#web/clicks/shared/share-report-dialog.tsx'
import { useDeleteLinks } from '../change-link.ts'
import { DeleteLinkDialog } from '../delete-link-dialog.tsx'
import { EditDialog } from '../form/edit-dialog.tsx'
import { MoveLinksDialog } from '../move/move-links-dialog.tsx'
import { PopupOfLinksDialog } from './popup-of-links-dialog.tsx'
import { QrDialog } from '../qr/qr-dialog.tsx'
import { ManageTagsDialog } from '../tags/manage-tags-dialog.tsx'
import { TagLinksDialog } from '../tags/tag-links-dialog.tsx'

/** An open dialog over the list, with its links. */
export type LinkDialog =
  | { kind: 'edit' | 'qr'; link: LinkRow }
  | { kind: 'delete' | 'tag' | 'popup' | 'move'; links: readonly LinkRow[] }
  | { kind: 'manage-tags' }
  | { kind: 'share-tag'; tag: TagRow }

interface LinkDialogsProps {
  userId: string
  /** Undefined: none is open. */
  dialog: LinkDialog | undefined
  onOpen: (dialog: LinkDialog) => void
  onClose: () => void
  onDeleted: (links: readonly LinkRow[]) => void
  onMoved: () => void
  /** A tag has another name, or null when it is gone. */
  onTagRenamed: (before: string, name: string | null) => void
}

const nothing: readonly LinkRow[] = []

/** The dialogs of the list, of which one is open at most. */
export function LinkDialogs(props: LinkDialogsProps) {
  const { userId, dialog, onOpen, onClose, onDeleted, onMoved, onTagRenamed } = props
  const deletion = useDeleteLinks(onDeleted)
  return (
    <>
      <EditDialog
        link={dialog?.kind === 'edit' ? dialog.link : undefined}
        {...{ userId, onClose }}
      />
      <QrDialog
        code={dialog?.kind === 'qr' ? codeOfLink(dialog.link) : undefined}
        {...{ userId, onClose }}
      />
      <TagLinksDialog
        links={dialog?.kind === 'tag' ? dialog.links : nothing}
        {...{ userId, onClose }}
      />
      <PopupOfLinksDialog
        links={dialog?.kind === 'popup' ? dialog.links : nothing}
        {...{ userId, onClose }}
      />
      <MoveLinksDialog
        links={dialog?.kind === 'move' ? dialog.links : nothing}
        {...{ userId, onClose, onMoved }}
      />
      <ManageTagsDialog
        open={dialog?.kind === 'manage-tags'}
        onRenamed={onTagRenamed}
        onShare={(tag) => onOpen({ kind: 'share-tag', tag })}
        userId={userId}
        // It says so late: by then the dialog that it opened is there.
        onClose={() => {
          if (dialog?.kind === 'manage-tags') onClose()
        }}
      />
      <ShareReportDialog
        subject={
          dialog?.kind === 'share-tag'
            ? { kind: 'tag', id: dialog.tag.id, name: dialog.tag.name }
            : undefined
        }
        {...{ userId, onClose }}
      />
      <DeleteLinkDialog
        links={dialog?.kind === 'delete' ? dialog.links : nothing}
        busy={deletion.isPending}
        onClose={onClose}
        onConfirm={deletion.mutate}
      />
    </>
  )
}
