import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { routes } from '#domain/routes.ts'
import { rememberedReferral } from '#web/account/referral.ts'
import { useTitle } from '#web/ui/use-title.ts'
import { SignInForm } from './sign-in-form.tsx'
import { SignUpForm } from './sign-up-form.tsx'

const route = getRouteApi(routes.auth.path)

export function AuthScreen() {
  const { ref, mode: asked } = route.useSearch()
  // The address comes second: the router reads a code such as 12E45678 as a number.
  const referralCode = rememberedReferral() || (ref ?? '')
  const [mode, setMode] = useState<'sign-in' | 'sign-up'>(
    asked === 'sign-up' || ref !== undefined ? 'sign-up' : 'sign-in',
  )
  // What was typed stays when the mode changes, and after signing up.
  const [email, setEmail] = useState('')
  const signingIn = mode === 'sign-in'
  useTitle(signingIn ? 'Sign In · Hoplet' : 'Sign Up · Hoplet')

  return (
    <div className="mx-auto flex w-full max-w-md grow flex-col justify-center px-4 py-12 sm:py-20">
      <h1 className="text-4xl font-semibold tracking-[-0.035em]">
        {signingIn ? 'Welcome back' : 'Create your account'}
      </h1>
      <p className="mt-3 mb-8 text-ink-soft">
        {signingIn
          ? 'Sign in to your links, codes and counts.'
          : 'Free, and ready in a few seconds.'}
      </p>
      {signingIn ? (
        <SignInForm email={email} onEmailChange={setEmail} />
      ) : (
        <SignUpForm
          email={email}
          onEmailChange={setEmail}
          referralCode={referralCode}
          onDone={() => setMode('sign-in')}
        />
      )}
      <p className="mt-8 border-t border-line pt-6 text-[15px] text-ink-soft">
        {signingIn ? "Don't have an account?" : 'Already have an account?'}{' '}
        <button
          type="button"
          onClick={() => setMode(signingIn ? 'sign-up' : 'sign-in')}
          className="rounded-md font-medium text-accent-text underline-offset-4 hover:underline"
        >
          {signingIn ? 'Sign Up' : 'Sign In'}
        </button>
      </p>
    </div>
  )
}
