import { useState, type FormEvent } from 'react'
import { signUpForm } from '#domain/forms.ts'
import { notices, signUpFailedTitle } from '#domain/texts.ts'
import { useCaptcha } from '#web/session/captcha.tsx'
import { firstIssue, focusField } from '#web/session/first-issue.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { PasswordField } from '#web/ui/password-field.tsx'
import { signUp } from './sign-up.ts'

interface SignUpFormProps {
  email: string
  onEmailChange: (email: string) => void
  referralCode: string
  /** False when the address still has to be confirmed. */
  onDone: (isConfirmed: boolean) => void
}

export function SignUpForm({ email, onEmailChange, referralCode, onDone }: SignUpFormProps) {
  const [rest, setRest] = useState({ password: '', displayName: '', referralCode })
  const [problem, setProblem] = useState<{ field: string; text: string }>()
  const [busy, setBusy] = useState(false)
  const captcha = useCaptcha()

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
    const options = captcha.take()
    if (options === undefined) return
    setProblem(undefined)
    setBusy(true)
    const outcome = await signUp(form.data, options)
    setBusy(false)
    if (outcome.problem !== null)
      return notifyError({ title: signUpFailedTitle, description: outcome.problem })
    notifySuccess(notices.accountCreated)
    onDone(outcome.isConfirmed)
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
      {captcha.widget}
      <Button type="submit" look="accent" busy={busy} className="mt-1 w-full">
        {busy ? 'Please wait...' : 'Sign Up'}
      </Button>
    </form>
  )
}
