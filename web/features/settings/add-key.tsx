import { keyNameForm } from '#domain/forms/forms.ts'
import { auth } from '#web/api/auth-client.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import type { AddFactorProps } from './add-authenticator.tsx'
import { claimFactorName, factorRefusal } from './claim-factor-name.ts'

export function AddKey({ onCancel, onAdded }: AddFactorProps) {
  const form = useFormFields({
    schema: keyNameForm,
    initial: { name: '' },
    submit: async ({ name: friendlyName }) => {
      const taken = await claimFactorName(friendlyName)
      if (taken !== null) return factorRefusal(taken)
      const { error } = await auth.mfa.webauthn.register({ friendlyName })
      return error === null ? onAdded() : factorRefusal(error.message)
    },
  })
  return (
    <form {...form.props}>
      <Field
        label="Name"
        data-first-focus
        aria-required
        hint="A name you will recognize, like Blue key. Your browser then asks you to touch it."
        {...form.text('name')}
      />
      <FormActions
        action="Add"
        busyAction="Waiting for the key..."
        busy={form.busy}
        onCancel={onCancel}
      />
    </form>
  )
}
