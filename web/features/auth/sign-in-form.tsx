import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { signInForm, type SignInForm as SignIn } from '#domain/forms.ts'
import { routes } from '#domain/routes.ts'
import { loginFailedTitle, notices } from '#domain/texts.ts'
import { adminQuery } from '#web/account/role.ts'
import { auth } from '#web/client.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { notifyError, notifySuccess } from '#web/ui/notify.ts'
import { firstIssue, focusField } from './first-issue.ts'
import { PasswordField } from './password-field.tsx'

interface SignInFormProps {
  email: string
  onEmailChange: (email: string) => void
}

export function SignInForm({ email, onEmailChange }: SignInFormProps) {
  const client = useQueryClient()
  const navigate = useNavigate()
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
    setProblem(undefined)
    setBusy(true)
    try {
      await signIn(event.currentTarget, form.data)
    } finally {
      setBusy(false)
    }
  }

  async function signIn(element: HTMLFormElement, credentials: SignIn) {
    const { data, error } = await auth.signInWithPassword(credentials)
    if (error !== null) {
      focusField(element, 'password')
      return notifyError({ title: loginFailedTitle, description: error.message })
    }
    notifySuccess(notices.loggedIn)
    const isAdmin = await client.fetchQuery(adminQuery(data.user.id)).catch(() => false)
    await navigate({ to: isAdmin ? routes.admin.path : routes.dashboard.path })
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
      <Button type="submit" look="accent" busy={busy} className="mt-1 w-full">
        {busy ? 'Please wait...' : 'Sign In'}
      </Button>
    </form>
  )
}
