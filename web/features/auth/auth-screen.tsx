import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { providerSignIn } from '#domain/texts/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { rememberedReferral } from '#web/session/referral.ts'
import { useSession } from '#web/session/session.ts'
import { Loading } from '#web/ui/mark.tsx'
import { AuthFrame, textButtonClass } from './auth-frame.tsx'
import { ConfirmEmail } from './confirm-email.tsx'
import { OtherBrowser } from './other-browser.tsx'
import { ProviderScreen, useAutomaticSignIn } from './provider-screen.tsx'
import { SecondFactorStep } from './second-factor-step.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { SignInLink } from './sign-in-link.tsx'
import { SignUpForm } from './sign-up-form.tsx'
import { WaysIn } from './ways-in.tsx'

const route = getRouteApi(routes.auth.path)

type Step = 'sign-in' | 'sign-up' | 'confirm' | 'link'

export function AuthScreen() {
  const { ref, mode: asked, opened, again } = route.useSearch()
  const navigate = route.useNavigate()
  const session = useSession()
  const isLeaving = useAutomaticSignIn()
  // The address comes second: the router reads a code such as 12E45678 as a number.
  const referralCode = rememberedReferral() || (ref ?? '')
  const [step, setStep] = useState<Step>(
    asked === 'sign-up' || ref !== undefined ? 'sign-up' : 'sign-in',
  )
  // Input stays when the mode changes, and after signing up.
  const [email, setEmail] = useState('')
  const [isNew, setNew] = useState(false)
  const toSignIn = () => setStep('sign-in')

  // Kept while the session turns whole, so that the sign-in form does not flash up in between.
  const [halfway, setHalfway] = useState<string>()
  if (session.status === 'halfway' && halfway !== session.personId) setHalfway(session.personId)
  if (session.status === 'signed-out' && halfway !== undefined) setHalfway(undefined)

  if (halfway !== undefined) return <SecondFactorStep userId={halfway} />
  if (isLeaving) return <Loading label="Loading" />
  if (opened === 'elsewhere') return <OtherBrowser again="sign-in" />
  if (!site.hasPasswords) return <ProviderScreen />
  if (step === 'confirm') return <ConfirmEmail email={email} onBack={toSignIn} />
  if (step === 'link')
    return <SignInLink email={email} onEmailChange={setEmail} onBack={toSignIn} />

  const signingIn = step === 'sign-in'
  return (
    <AuthFrame
      title={signingIn ? 'Sign In' : 'Sign Up'}
      heading={signingIn ? (isNew ? 'Account created' : 'Welcome back') : 'Create your account'}
      intro={
        !signingIn
          ? site.hasPlans
            ? 'Free, and ready in a few seconds.'
            : 'Ready in a few seconds.'
          : isNew
            ? 'Sign in with your new password.'
            : again
              ? providerSignIn.again
              : 'Sign in to manage your links.'
      }
    >
      {signingIn ? (
        <SignInForm
          email={email}
          onEmailChange={setEmail}
          onUnconfirmed={() => setStep('confirm')}
        />
      ) : (
        <SignUpForm
          email={email}
          onEmailChange={setEmail}
          referralCode={referralCode}
          onDone={(isConfirmed) => {
            setNew(isConfirmed)
            setStep(isConfirmed ? 'sign-in' : 'confirm')
            // Loaded again, the screen is not the sign-up.
            void navigate({
              search: ({ mode: _mode, ref: _ref, ...rest }) => rest,
              replace: true,
              resetScroll: false,
            })
          }}
        />
      )}
      <WaysIn onLink={signingIn ? () => setStep('link') : undefined} />
      <p className="mt-8 border-t border-line pt-6 text-sm text-ink-soft">
        {signingIn ? "Don't have an account?" : 'Already have an account?'}{' '}
        <button
          type="button"
          onClick={() => setStep(signingIn ? 'sign-up' : 'sign-in')}
          className={textButtonClass}
        >
          {signingIn ? 'Sign Up' : 'Sign In'}
        </button>
      </p>
    </AuthFrame>
  )
}
