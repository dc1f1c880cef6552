import { useState, type FormEvent } from 'react'
import { signUpForm } from '#domain/forms.ts'
import { notices, signUpFailedTitle } from '#domain/texts.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { firstIssue, focusField } from './first-issue.ts'
import { PasswordField } from './password-field.tsx'
import { signUp } from './sign-up.ts'

interface SignUpFormProps {
  email: string
  onEmailChange: (email: string) => void
  referralCode: string
  onDone: () => void
}

export function SignUpForm({ email, onEmailChange, referralCode, onDone }: SignUpFormProps) {
  const [rest, setRest] = useState({ password: '', displayName: '', referralCode })
  const [problem, setProblem] = useState<{ field: string; text: string }>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = signUpForm.safeParse({ email, ...rest })
    if (!form.success) {
      const { field, notice } = firstIssue(form.error)
      setProblem({ field, text: notice.description ?? '' })
      focusField(event.currentTarget, field)
      return notifyError(notice)
    }
    setProblem(undefined)
    setBusy(true)
    const { problem: refusal } = await signUp(form.data)
    setBusy(false)
    if (refusal !== null) return notifyError({ title: signUpFailedTitle, description: refusal })
    notifySuccess(notices.accountCreated)
    onDone()
  }

  const errorOf = (field: string) => (problem?.field === field ? problem.text : undefined)
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => onEmailChange(event.target.value)}
        error={errorOf('email')}
      />
      <PasswordField
        autoComplete="new-password"
        hint="At least 6 characters."
        value={rest.password}
        onChange={(password) => setRest({ ...rest, password })}
        error={errorOf('password')}
      />
      <Field
        label="Display name"
        note="optional"
        name="displayName"
        autoComplete="name"
        value={rest.displayName}
        onChange={(event) => setRest({ ...rest, displayName: event.target.value })}
        error={errorOf('displayName')}
      />
      <Field
        label="Referral code"
        name="referralCode"
        note="optional"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        value={rest.referralCode}
        onChange={(event) => setRest({ ...rest, referralCode: event.target.value })}
        error={errorOf('referralCode')}
        className="font-mono"
      />
      <Button type="submit" look="accent" busy={busy} className="mt-1 w-full">
        {busy ? 'Please wait...' : 'Sign Up'}
      </Button>
    </form>
  )
}
