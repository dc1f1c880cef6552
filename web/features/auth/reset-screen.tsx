import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { NewPasswordForm } from '#web/session/new-password-form.tsx'
import { SecondFactorForm } from '#web/session/second-factor-form.tsx'
import { useSession } from '#web/session/session.ts'
import { auth } from '#web/api/auth-client.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Loading } from '#web/ui/mark.tsx'
import { AuthFrame } from './auth-frame.tsx'
import { OtherBrowser } from './other-browser.tsx'

const route = getRouteApi(routes.resetPassword.path)

/** Where the link of a forgotten password and of an invitation leads: signed in by it, one sets a password. */
export function ResetScreen() {
  const session = useSession()
  const navigate = useNavigate()
  const { opened, code } = route.useSearch()
  if (opened === 'elsewhere') return <OtherBrowser again="recovery" />
  if (session.status === 'loading' || code !== undefined) return <Loading label="Loading" />
  if (session.status === 'signed-out') {
    return (
      <AuthFrame
        title="Set a new password"
        heading="This link no longer works"
        intro="The link was used already, or is too old."
      >
        <Link to={routes.forgotPassword.path} className={buttonClass('accent')}>
          Ask for a New Link
        </Link>
      </AuthFrame>
    )
  }
  if (session.status === 'halfway') {
    return (
      <AuthFrame
        title="Second factor"
        heading="One more step"
        intro="Your account is protected with a second factor. Show it, then you can set a new password."
      >
        <SecondFactorForm client={auth} userId={session.personId} onDone={() => {}} />
      </AuthFrame>
    )
  }
  return (
    <AuthFrame
      title="Set a new password"
      heading="Set a new password"
      intro={<span className="wrap-anywhere">For {session.email}</span>}
    >
      <NewPasswordForm
        email={session.email}
        onDone={() => void navigate({ to: routes.dashboard.path })}
      />
    </AuthFrame>
  )
}
