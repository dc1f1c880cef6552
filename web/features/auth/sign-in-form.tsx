import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { signInForm } from '#domain/forms/forms.ts'
import { routes } from '#domain/routes.ts'
import { loginFailedTitle } from '#domain/texts/account-texts.ts'
import { auth } from '#web/api/auth-client.ts'
import { useMailWay } from '#web/session/sign-in-options.ts'
import { useAuthForm } from '#web/session/use-auth-form.ts'
import { welcome } from '#web/session/welcome.ts'
import { PasswordField } from '#web/ui/fields/password-field.tsx'
import { type AddressProps, AuthForm } from './auth-form.tsx'
import { textButtonClass } from './auth-frame.tsx'

interface SignInFormProps extends AddressProps {
  /** The address has not been confirmed yet. */
  onUnconfirmed: () => void
}

export function SignInForm({ email, onEmailChange, onUnconfirmed }: SignInFormProps) {
  const [password, setPassword] = useState('')
  const mailWay = useMailWay()
  const form = useAuthForm({
    schema: signInForm,
    values: { email, password },
    submit: async (credentials, options) => {
      const { data, error } = await auth.signInWithPassword({ ...credentials, options })
      if (error === null) return welcome(data.session)
      if (error.code === 'email_not_confirmed') onUnconfirmed()
      const notice = { title: loginFailedTitle, description: error.message }
      return { field: 'password', notice }
    },
  })

  return (
    <AuthForm {...{ form, email, onEmailChange }} action="Sign In">
      <PasswordField
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        error={form.errorOf('password')}
      />
      {mailWay === 'none' ? null : (
        <Link to={routes.forgotPassword.path} className={`${textButtonClass} justify-self-start`}>
          Forgot your password?
        </Link>
      )}
    </AuthForm>
  )
}
