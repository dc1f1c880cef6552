import { useState } from 'react'
import { profileForm } from '#domain/forms.ts'
import { planOf, planOffers, plans } from '#domain/plans.ts'
import type { AdminUserRow } from '#web/database-admin.ts'
import { Dialog } from '#web/ui/dialog.tsx'
import { Field } from '#web/ui/field.tsx'
import { FormActions } from '#web/ui/form-actions.tsx'
import { SelectField } from '#web/ui/select-field.tsx'
import { useForm } from '#web/use-form.ts'
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
  const [displayName, setDisplayName] = useState(user.display_name ?? '')
  const [role, setRole] = useState(user.role)
  const [plan, setPlan] = useState(planOf(user.plan_type))
  const form = useForm({
    schema: profileForm,
    values: { displayName },
    submit: async (checked) => {
      save.mutate({ id: user.id, ...checked, role, plan }, { onSuccess: onClose })
    },
  })

  return (
    <form {...form.props} className="grid gap-5">
      <Field
        label="Display Name"
        name="displayName"
        autoComplete="off"
        data-first-focus
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
        error={form.errorOf('displayName')}
      />
      <SelectField label="Role" name="role" options={roleOptions} value={role} onChange={setRole} />
      <SelectField label="Plan" name="plan" options={planOptions} value={plan} onChange={setPlan} />
      <FormActions
        action="Save Changes"
        busyAction="Saving..."
        busy={save.isPending}
        onCancel={onClose}
      />
    </form>
  )
}
