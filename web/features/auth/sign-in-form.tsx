import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { signInForm } from '#domain/forms.ts'
import { routes } from '#domain/routes.ts'
import { loginFailedTitle } from '#domain/texts.ts'
import { auth } from '#web/auth-client.ts'
import { useCaptcha } from '#web/session/captcha.tsx'
import { welcome } from '#web/session/welcome.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/field.tsx'
import { PasswordField } from '#web/ui/password-field.tsx'
import { useForm } from '#web/use-form.ts'
import { textButtonClass } from './auth-frame.tsx'

interface SignInFormProps {
  email: string
  onEmailChange: (email: string) => void
  /** The address has not been confirmed yet. */
  onUnconfirmed: () => void
}

export function SignInForm({ email, onEmailChange, onUnconfirmed }: SignInFormProps) {
  const captcha = useCaptcha()
  const [password, setPassword] = useState('')
  const form = useForm({
    schema: signInForm,
    values: { email, password },
    submit: async (credentials) => {
      const options = captcha.take()
      if (options === undefined) return undefined
      const { data, error } = await auth.signInWithPassword({ ...credentials, options })
      if (error === null) return welcome(data.session)
      if (error.code === 'email_not_confirmed') onUnconfirmed()
      const notice = { title: loginFailedTitle, description: error.message }
      return { field: 'password', notice }
    },
  })

  return (
    <form {...form.props} className="grid gap-5">
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        value={email}
        onChange={(event) => onEmailChange(event.target.value)}
        error={form.errorOf('email')}
      />
      <PasswordField
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={form.errorOf('password')}
      />
      <Link to={routes.forgotPassword.path} className={`${textButtonClass} justify-self-start`}>
        Forgot your password?
      </Link>
      {captcha.widget}
      <Button type="submit" look="accent" busy={form.busy} className="mt-1 w-full">
        {form.busy ? 'Please wait...' : 'Sign In'}
      </Button>
    </form>
  )
}
