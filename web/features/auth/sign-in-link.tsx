import { getRouteApi } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { auth } from '#web/api/auth-client.ts'
import { welcome } from '#web/session/welcome.ts'
import { textButtonClass } from './auth-frame.tsx'
import { comeBackTo } from './come-back.ts'
import { MailedLink } from './mailed-link.tsx'

const route = getRouteApi(routes.auth.path)

interface SignInLinkProps {
  email: string
  onEmailChange: (email: string) => void
  onBack: () => void
}

/** Signing in with a link or a code that comes by email. It opens no account: Sign Up does. */
export function SignInLink({ email, onEmailChange, onBack }: SignInLinkProps) {
  const { next } = route.useSearch()
  return (
    <MailedLink
      title="Sign-in link"
      heading="Sign in by email"
      intro="We email you a link. No password needed."
      email={email}
      onEmailChange={onEmailChange}
      type="email"
      ask={(to, options) =>
        auth.signInWithOtp({
          email: to,
          options: { ...options, shouldCreateUser: false, emailRedirectTo: comeBackTo(next) },
        })
      }
      onSignedIn={welcome}
      back={
        <button type="button" onClick={onBack} className={textButtonClass}>
          Back to Sign In
        </button>
      }
    />
  )
}
