import type { Factor } from '@supabase/auth-js'
import { useState } from 'react'
import { accessNotices } from '#domain/texts/account-texts.ts'
import { sixDigitForm } from '#domain/forms/forms.ts'
import type { AuthClientType } from '#web/api/auth-client.ts'
import { Button } from '#web/ui/button.tsx'
import { CodeField } from '#web/ui/fields/code-field.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import { useAction } from '#web/ui/hooks/use-action.ts'
import { useFormFields } from '#web/forms/use-form-fields.ts'
import { authRefusal } from './auth-refusal.ts'
import { factorName } from './second-factor.ts'

interface CodeFactorFormProps {
  client: AuthClientType
  factor: Factor
  onDone: () => void
}

/** Six digits of an authenticator app, or of a text message that is sent when asked for. */
export function CodeFactorForm({ client, factor, onDone }: CodeFactorFormProps) {
  const isPhone = factor.factor_type === 'phone'
  const factorId = factor.id
  const [challengeId, setChallengeId] = useState<string>()

  const form = useFormFields({
    schema: sixDigitForm,
    initial: { code: '' },
    submit: async ({ code: digits }) => {
      const { error } =
        challengeId === undefined
          ? await client.mfa.challengeAndVerify({ factorId, code: digits })
          : await client.mfa.verify({ factorId, challengeId, code: digits })
      return error === null ? onDone() : { field: 'code', text: authRefusal(error) }
    },
    issueNotice: null,
  })
  const sending = useAction(async () => {
    const { data, error } = await client.mfa.challenge({ factorId, channel: 'sms' })
    if (error !== null) return notifyError({ ...accessNotices.mailFailed, title: error.message })
    setChallengeId(data.id)
    form.change({ code: '' })
  })

  if (isPhone && challengeId === undefined) {
    return (
      <div className="grid gap-5">
        <p className="text-ink-soft">We send a code to {factorName(factor)}.</p>
        <Button look="accent" busy={sending.busy} onClick={() => sending.run()}>
          {sending.busy ? 'Please wait...' : 'Send Code'}
        </Button>
      </div>
    )
  }
  return (
    <form {...form.props} className="grid gap-5">
      <CodeField
        label={isPhone ? 'Texted code' : `Code from ${factorName(factor)}`}
        hint={isPhone ? 'Good for five minutes.' : 'Your app shows a new one every 30 seconds.'}
        {...form.field('code')}
        focusWhenShown
      />
      <Button type="submit" look="accent" busy={form.busy}>
        {form.busy ? 'Please wait...' : 'Continue'}
      </Button>
      {isPhone ? (
        <Button look="quiet" busy={sending.busy} onClick={() => sending.run()}>
          Send Another Code
        </Button>
      ) : null}
    </form>
  )
}
