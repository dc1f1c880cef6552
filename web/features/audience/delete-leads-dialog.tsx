import type { LeadRow } from '#web/api/database.ts'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import { useDeleteLeads } from './change-leads.ts'

interface DeleteLeadsDialogProps {
  userId: string
  /** Undefined while closed. */
  leads: readonly LeadRow[] | undefined
  onDeleted: () => void
  onClose: () => void
}

/** Asks before addresses are erased. */
export function DeleteLeadsDialog({ userId, leads, onDeleted, onClose }: DeleteLeadsDialogProps) {
  const remove = useDeleteLeads(userId)
  return (
    <ConfirmDialog
      subject={leads}
      title={leads?.length === 1 ? 'Delete this address?' : 'Delete these addresses?'}
      describe={(asked) => (
        <>
          {asked.length === 1 ? (
            <bdi className="text-ink wrap-anywhere">{asked[0]?.email}</bdi>
          ) : (
            `${asked.length.toLocaleString('en-US')} addresses`
          )}{' '}
          will be erased for good.
        </>
      )}
      action="Delete"
      busyAction="Deleting..."
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={(asked) =>
        remove.mutate(
          asked.map(({ id }) => id),
          { onSuccess: onDeleted },
        )
      }
    />
  )
}
