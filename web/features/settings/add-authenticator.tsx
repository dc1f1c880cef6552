import type { AuthMFAEnrollTOTPResponse } from '@supabase/auth-js'
import { QRCodeSVG } from 'qrcode.react'
import { useState } from 'react'
import { factorNameForm, sixDigitForm } from '#domain/forms/forms.ts'
import { authRefusal } from '#web/session/auth-refusal.ts'
import { auth } from '#web/api/auth-client.ts'
import { CodeField } from '#web/ui/fields/code-field.tsx'
import { Field } from '#web/ui/fields/field.tsx'
import { FormActions } from '#web/ui/dialogs/form-actions.tsx'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { claimFactorName, factorRefusal } from './claim-factor-name.ts'

export interface AddFactorProps {
  onCancel: () => void
  onAdded: () => void
}

type Begun = Pick<AuthMFAEnrollTOTPResponse['data'] & object, 'id' | 'totp'>

/** First a name, then the QR code and the first code of the app. */
export function AddAuthenticator({ onCancel, onAdded }: AddFactorProps) {
  const [begun, setBegun] = useState<Begun>()
  const form = useFormFields({
    schema: factorNameForm,
    initial: { name: '' },
    submit: async ({ name: friendlyName }) => {
      const taken = await claimFactorName(friendlyName)
      if (taken !== null) return factorRefusal(taken)
      const { data, error } = await auth.mfa.enroll({
        factorType: 'totp',
        friendlyName,
        issuer: 'Hoplet',
      })
      return error === null ? setBegun(data) : factorRefusal(error.message)
    },
  })

  if (begun !== undefined) {
    const { id, totp } = begun
    return <ScanForm factorId={id} {...totp} onCancel={onCancel} onAdded={onAdded} />
  }
  return (
    <form {...form.props}>
      <Field
        label="Name"
        note="optional"
        data-first-focus
        hint="A name you will recognize, like My phone."
        {...form.text('name')}
      />
      <FormActions action="Continue" busy={form.busy} onCancel={onCancel} />
    </form>
  )
}

interface ScanFormProps extends AddFactorProps {
  factorId: string
  uri: string
  secret: string
}

function ScanForm({ factorId, uri, secret, onCancel, onAdded }: ScanFormProps) {
  const form = useFormFields({
    schema: sixDigitForm,
    initial: { code: '' },
    submit: async ({ code: digits }) => {
      const { error } = await auth.mfa.challengeAndVerify({ factorId, code: digits })
      return error === null ? onAdded() : { field: 'code', text: authRefusal(error) }
    },
    issueNotice: null,
  })

  return (
    <form {...form.props} className="grid gap-5">
      <p className="leading-relaxed text-ink-soft">
        Scan this with your authenticator app, then enter the code that it shows.
      </p>
      <div className="justify-self-center rounded-2xl bg-white p-3">
        <QRCodeSVG
          value={uri}
          size={176}
          level="M"
          marginSize={2}
          title="QR code for your authenticator app"
        />
      </div>
      <p className="text-sm text-ink-soft">
        You cannot scan it? Type this key into the app:{' '}
        <span className="font-mono text-ink wrap-anywhere select-all">
          {secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}
        </span>
      </p>
      <CodeField label="Code from the app" {...form.field('code')} focusWhenShown />
      <FormActions action="Add" busy={form.busy} onCancel={onCancel} />
    </form>
  )
}
