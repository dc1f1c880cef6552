import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type SpaceRole, spaceRoles } from '#domain/access/space-roles.ts'
import { routes } from '#domain/routes.ts'
import { invitationForm } from '#domain/spaces/space-form.ts'
import { roleNames, roleWords, spaceNotices } from '#domain/texts/space-texts.ts'
import type { FormRefusal } from '#web/forms/use-form.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { site } from '#web/site.ts'
import { refusedSpace } from '#web/spaces/refused-space.ts'
import { Dialog } from '#web/ui/dialogs/dialog.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { SelectField } from '#web/ui/fields/select-field.tsx'
import { InvitationLink } from './invitation-rows.tsx'
import { spaceCalls } from './space-queries.ts'

interface InviteDialogProps {
  userId: string
  open: boolean
  onClose: () => void
}

/** Makes an invitation, and shows its link once. */
export function InviteDialog({ userId, open, onClose }: InviteDialogProps) {
  const client = useQueryClient()
  const [link, setLink] = useState<string>()
  return (
    <>
      <Dialog open={open} onClose={onClose} title="Invite a person">
        <InviteForm
          onMade={(made) => {
            onClose()
            setLink(made)
            void client.invalidateQueries({ queryKey: ['account', userId, 'members'] })
          }}
          onCancel={onClose}
        />
      </Dialog>
      <InvitationLink link={link} onClose={() => setLink(undefined)} />
    </>
  )
}

const roleOptions = spaceRoles.map((value) => ({ value, label: roleNames[value] }))

interface InviteFormProps {
  onMade: (link: string) => void
  onCancel: () => void
}

function InviteForm({ onMade, onCancel }: InviteFormProps) {
  const [planProblem, setPlanProblem] = useState<string>()
  const form = useFormFields({
    schema: invitationForm,
    initial: { role: 'editor' as SpaceRole, email: '' },
    issueNotice: null,
    submit: async ({ role, email }): Promise<FormRefusal | void> => {
      setPlanProblem(undefined)
      try {
        return onMade(await spaceCalls.invite(role, email))
      } catch (error) {
        const refusal = refusedSpace(error)
        if (refusal === undefined) return { notice: spaceNotices.notInvited }
        if (refusal.field !== 'plan') return refusal
        return setPlanProblem(refusal.text)
      }
    },
  })
  return (
    <form {...form.props} className="grid gap-5">
      <div className="grid gap-1.5">
        <SelectField label="Role" options={roleOptions} {...form.field('role')} />
        <p className="text-sm text-ink-faint">{roleWords[form.values.role]}</p>
      </div>
      <Field
        label="Email"
        note="optional"
        kind="email"
        hint="Then only this person can use the link."
        {...form.text('email')}
      />
      {planProblem === undefined ? null : (
        <p role="alert" className="rounded-xl bg-accent-wash px-4 py-3 text-sm">
          {planProblem}{' '}
          {site.hasPlans ? (
            <Link
              to={routes.upgrade.path}
              className="font-medium text-accent-text underline underline-offset-4"
            >
              See the plans
            </Link>
          ) : null}
        </p>
      )}
      <FormActions
        action="Create Link"
        busyAction="Creating..."
        busy={form.busy}
        onCancel={onCancel}
      />
    </form>
  )
}
