import { useState } from 'react'
import { settingsNotices } from '#domain/texts/account-texts.ts'
import { phoneForm, sixDigitForm } from '#domain/forms/forms.ts'
import { authRefusal } from '#web/session/auth-refusal.ts'
import { auth } from '#web/api/auth-client.ts'
import { CodeField } from '#web/ui/fields/code-field.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import type { AddFactorProps } from './add-authenticator.tsx'
import { claimFactorName } from './claim-factor-name.ts'

/** First the number, then the code that was sent to it. */
export function AddPhone({ onCancel, onAdded }: AddFactorProps) {
  const [sent, setSent] = useState<{ factorId: string; challengeId: string }>()
  const numberForm = useFormFields({
    schema: phoneForm,
    initial: { phone: '' },
    submit: async ({ phone: number }) => {
      const refuse = (text: string) => ({ field: 'phone', text })
      const taken = await claimFactorName(number)
      if (taken !== null) return refuse(taken)
      const enrolled = await auth.mfa.enroll({
        factorType: 'phone',
        phone: number,
        friendlyName: number,
      })
      if (enrolled.error !== null) return refuse(enrolled.error.message)
      const factorId = enrolled.data.id
      const { data, error } = await auth.mfa.challenge({ factorId, channel: 'sms' })
      return error === null ? setSent({ factorId, challengeId: data.id }) : refuse(error.message)
    },
  })
  const codeForm = useFormFields({
    schema: sixDigitForm,
    initial: { code: '' },
    submit: async ({ code: digits }) => {
      if (sent === undefined) return undefined
      const { error } = await auth.mfa.verify({ ...sent, code: digits })
      if (error === null) return onAdded()
      const text = authRefusal(error)
      return {
        field: 'code',
        text,
        notice: { ...settingsNotices.factorFailed, description: text },
      }
    },
    issueNotice: null,
  })
  const form = sent === undefined ? numberForm : codeForm

  return (
    <form key={sent === undefined ? 'number' : 'code'} {...form.props}>
      {sent === undefined ? (
        <Field
          label="Phone number"
          type="tel"
          autoComplete="tel"
          data-first-focus
          hint="With the country, such as: +49 170 1234567"
          {...numberForm.text('phone')}
        />
      ) : (
        <CodeField label="Texted code" {...codeForm.field('code')} focusWhenShown />
      )}
      <FormActions
        action={sent === undefined ? 'Send Code' : 'Add'}
        busy={form.busy}
        onCancel={onCancel}
      />
    </form>
  )
}
