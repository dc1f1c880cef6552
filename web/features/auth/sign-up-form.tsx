import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { signUpForm } from '#domain/forms/forms.ts'
import { routes } from '#domain/routes.ts'
import {
  accountCreatedNotice,
  passwordHint,
  signUpFailedTitle,
} from '#domain/texts/account-texts.ts'
import { site } from '#web/site.ts'
import { storedInvitation } from '#web/session/space/stored-invitation.ts'
import { useAuthForm } from '#web/session/use-auth-form.ts'
import { Field } from '#web/ui/fields/field.tsx'
import { notifyInfo, notifySuccess } from '#web/ui/toasts/notify.ts'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { loadDraft } from '#web/shortener-draft.ts'
import { type AddressProps, AuthForm } from './auth-form.tsx'
import { createAccount } from './create-account.ts'
import { ReferralField } from './referral-field.tsx'

const route = getRouteApi(routes.auth.path)

interface SignUpFormProps extends AddressProps {
  referralCode: string
  /** False when the address has to be confirmed first. */
  onDone: (isConfirmed: boolean) => void
}

export function SignUpForm({ email, onEmailChange, referralCode, onDone }: SignUpFormProps) {
  const { next } = route.useSearch()
  const [rest, setRest] = useState({ password: '', displayName: '', referralCode })
  const form = useAuthForm({
    schema: signUpForm,
    values: { email, ...rest },
    submit: async (wanted, options) => {
      const comesToAct = loadDraft(null).isPending || storedInvitation() !== ''
      const outcome = await createAccount(wanted, options, comesToAct, next)
      if (outcome.problem !== null)
        return { notice: { title: signUpFailedTitle, description: outcome.problem } }
      notifySuccess(accountCreatedNotice(outcome.isConfirmed, outcome.isSignedIn))
      if (outcome.referralProblem !== null) notifyInfo(outcome.referralProblem)
      // The guard of this screen leads a person who is signed in on.
      return outcome.isSignedIn ? undefined : onDone(outcome.isConfirmed)
    },
  })

  return (
    <AuthForm {...{ form, email, onEmailChange }} action="Sign Up">
      <PasswordField
        autoComplete="new-password"
        hint={passwordHint}
        value={rest.password}
        onChange={(password) => setRest({ ...rest, password })}
        error={form.errorOf('password')}
      />
      <Field
        label="Display name"
        note="optional"
        name="displayName"
        autoComplete="name"
        value={rest.displayName}
        onChange={(event) => setRest({ ...rest, displayName: event.target.value })}
        error={form.errorOf('displayName')}
      />
      {site.hasPlans ? (
        <ReferralField
          isGiven={referralCode !== ''}
          code={rest.referralCode}
          onChange={(code) => setRest({ ...rest, referralCode: code })}
          error={form.errorOf('referralCode')}
        />
      ) : null}
    </AuthForm>
  )
}
