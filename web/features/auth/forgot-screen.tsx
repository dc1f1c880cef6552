import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { auth } from '#web/api/auth-client.ts'
import { textButtonClass } from './auth-frame.tsx'
import { MailedLink } from './mailed-link.tsx'

/** A forgotten password: the mailed link signs in and leads to the screen that sets a new one. */
export function ForgotScreen() {
  const navigate = useNavigate()
  const [email, setEmail] = useState('')
  return (
    <MailedLink
      title="Forgot password"
      heading="Forgot your password?"
      intro="Enter your email and we’ll send you a reset link."
      email={email}
      onEmailChange={setEmail}
      type="recovery"
      ask={(to, options) => {
        const redirectTo = `${window.location.origin}${routes.resetPassword.path}`
        return auth.resetPasswordForEmail(to, { ...options, redirectTo })
      }}
      onSignedIn={() => void navigate({ to: routes.resetPassword.path })}
      back={
        <Link to={routes.auth.path} className={textButtonClass}>
          Back to Sign In
        </Link>
      }
    />
  )
}
