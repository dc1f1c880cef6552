import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { signInForm, type SignInForm as SignIn } from '#domain/forms.ts'
import { routes } from '#domain/routes.ts'
import { loginFailedTitle } from '#domain/texts.ts'
import { useCaptcha } from '#web/session/captcha.tsx'
import { firstIssue, focusField } from '#web/session/first-issue.ts'
import { auth } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError } from '#web/ui/notify.ts'
import { PasswordField } from '#web/ui/password-field.tsx'
import { useAfterSignIn } from './after-sign-in.ts'
import { textButtonClass } from './auth-frame.tsx'

type Credentials = SignIn & { options: { captchaToken?: string } }

interface SignInFormProps {
  email: string
  onEmailChange: (email: string) => void
  /** The address still has to be confirmed. */
  onUnconfirmed: () => void
}

export function SignInForm({ email, onEmailChange, onUnconfirmed }: SignInFormProps) {
  const goOn = useAfterSignIn()
  const captcha = useCaptcha()
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<{ field: string; text: string }>()
  const [busy, setBusy] = useState(false)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = signInForm.safeParse({ email, password })
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
    try {
      await signIn(event.currentTarget, { ...form.data, options })
    } finally {
      setBusy(false)
    }
  }

  async function signIn(element: HTMLFormElement, credentials: Credentials) {
    const { data, error } = await auth.signInWithPassword(credentials)
    if (error !== null) {
      if (error.code === 'email_not_confirmed') onUnconfirmed()
      focusField(element, 'password')
      return notifyError({ title: loginFailedTitle, description: error.message })
    }
    await goOn(data.session)
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => onEmailChange(event.target.value)}
        error={problem?.field === 'email' ? problem.text : undefined}
      />
      <PasswordField
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={problem?.field === 'password' ? problem.text : undefined}
      />
      <Link to={routes.forgotPassword.path} className={`${textButtonClass} justify-self-start`}>
        Forgot your password?
      </Link>
      {captcha.widget}
      <Button type="submit" look="accent" busy={busy} className="mt-1 w-full">
        {busy ? 'Please wait...' : 'Sign In'}
      </Button>
    </form>
  )
}
