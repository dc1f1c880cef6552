import { profileForm } from '#domain/forms/forms.ts'
import { planOf, planOffers, plans } from '#domain/plans.ts'
import { site } from '#web/site.ts'
import type { AdminUserRow } from '#web/api/database-admin.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { useWhileShown } from '#web/ui/dialogs/use-while-shown.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import type { useUserMutations } from './user-mutations.tsx'

type Save = ReturnType<typeof useUserMutations>['saveUser']

interface UserEditDialogProps {
  user: AdminUserRow | undefined
  save: Save
  onClose: () => void
}

const roleOptions = [
  { value: 'user', label: 'user' },
  { value: 'admin', label: 'admin' },
] as const
const planOptions = plans.map((plan) => ({ value: plan, label: planOffers[plan].name }))

export function UserEditDialog({ user, save, onClose }: UserEditDialogProps) {
  return (
    <Dialog
      open={user !== undefined}
      onClose={onClose}
      title="Edit User"
      description={<span className="wrap-anywhere">{user?.email ?? user?.id}</span>}
    >
      {user === undefined ? null : <EditForm user={user} save={save} onClose={onClose} />}
    </Dialog>
  )
}

function EditForm({
  user,
  save,
  onClose,
}: {
  user: AdminUserRow
  save: Save
  onClose: () => void
}) {
  const initial = {
    displayName: user.display_name ?? '',
    role: user.role,
    plan: planOf(user.plan_type),
  }
  const close = useWhileShown(onClose)
  const form = useFormFields({
    schema: profileForm,
    initial,
    submit: async ({ displayName }) => {
      const { role, plan } = form.values
      // Null: as it is in the database, where the list may be out of date.
      const change = {
        id: user.id,
        displayName: displayName === initial.displayName ? null : displayName,
        role: role === initial.role ? null : role,
        plan: plan === initial.plan ? null : plan,
      }
      save.mutate(change, { onSuccess: close })
    },
  })

  return (
    <form {...form.props} className="grid gap-5">
      <Field
        label="Display Name"
        autoComplete="off"
        data-first-focus
        {...form.text('displayName')}
      />
      <SelectField label="Role" options={roleOptions} {...form.field('role')} />
      {site.hasPlans ? (
        <SelectField label="Plan" options={planOptions} {...form.field('plan')} />
      ) : null}
      <FormActions
        action="Save Changes"
        busyAction="Saving..."
        busy={save.isPending}
        onCancel={onClose}
      />
    </form>
  )
}
