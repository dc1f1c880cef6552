import { payoutForm } from '#domain/forms/forms.ts'
import { dollars } from '#domain/money.ts'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import { tables } from '#web/api/client.ts'
import type { PayoutDueRow } from '#web/api/database-admin.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { useAdminMutation } from '../use-admin-mutation.ts'

interface PayoutDialogProps {
  row: PayoutDueRow | undefined
  /** The row may be out of date. */
  onRefused: () => void
  onClose: () => void
}

const maxReferenceLength = 200

/** Books a payment of an admin. */
export function PayoutDialog({ row, onRefused, onClose }: PayoutDialogProps) {
  return (
    <Dialog
      open={row !== undefined}
      onClose={onClose}
      title="Mark as paid"
      description={
        row === undefined ? undefined : (
          <>
            <strong className="text-ink">{dollars(row.due_cents)}</strong> to{' '}
            <span className="text-ink wrap-anywhere">{row.email ?? row.affiliate_user_id}</span>.
            The payout is booked for good.
          </>
        )
      }
    >
      {row === undefined ? null : <PayoutForm row={row} onRefused={onRefused} onClose={onClose} />}
    </Dialog>
  )
}

function PayoutForm({ row, onRefused, onClose }: PayoutDialogProps & { row: PayoutDueRow }) {
  const pay = useAdminMutation({
    run: async (checked: { reference: string }) => {
      const { data } = await tables
        .rpc('admin_make_payout', {
          _affiliate: row.affiliate_user_id,
          _reference: checked.reference,
          _expected_cents: row.due_cents,
        })
        .throwOnError()
      return data
    },
    done: (made) =>
      made === null
        ? adminNotices.payoutNothing
        : { ...adminNotices.payoutMade, description: dollars(made.amount_cents) },
    failed: adminNotices.payoutFailed,
  })

  const form = useFormFields({
    schema: payoutForm,
    initial: { reference: '' },
    submit: async (checked) => pay.mutate(checked, { onSuccess: onClose, onError: onRefused }),
  })

  return (
    <form {...form.props}>
      <Field
        label="Reference"
        note="Optional"
        autoComplete="off"
        maxLength={maxReferenceLength}
        data-first-focus
        hint="For example the number of the bank transfer."
        {...form.text('reference')}
      />
      <FormActions
        action="Mark Paid"
        busyAction="Booking..."
        busy={pay.isPending}
        onCancel={onClose}
      />
    </form>
  )
}
