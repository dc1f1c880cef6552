import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { forgotAnswer } from '#domain/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { auth } from '#web/client.ts'
import { useAfterSignIn } from './after-sign-in.ts'
import { AskForMailForm } from './ask-for-mail-form.tsx'
import { AuthFrame, textButtonClass } from './auth-frame.tsx'
import { comeBackTo } from './come-back.ts'
import { MailedCodeForm } from './mailed-code-form.tsx'

const route = getRouteApi(routes.auth.path)

interface SignInLinkProps {
  email: string
  onEmailChange: (email: string) => void
  onBack: () => void
}

/** Signing in with a link or a code that comes by email. It opens no account: that is what Sign Up is for. */
export function SignInLink({ email, onEmailChange, onBack }: SignInLinkProps) {
  const { next } = route.useSearch()
  const goOn = useAfterSignIn()
  const [sentTo, setSentTo] = useState<string>()

  async function ask(to: string, options: { captchaToken?: string }): Promise<string | null> {
    const { error } = await auth.signInWithOtp({
      email: to,
      options: { ...options, shouldCreateUser: false, emailRedirectTo: comeBackTo(next) },
    })
    return error === null ? null : error.message
  }

  return (
    <AuthFrame
      title="Sign-in link"
      heading={sentTo === undefined ? 'Sign in by email' : 'Look into your mailbox'}
      intro={
        sentTo === undefined
          ? 'We send you a link that signs you in, without a password.'
          : forgotAnswer
      }
    >
      {sentTo === undefined ? (
        <AskForMailForm
          email={email}
          onEmailChange={onEmailChange}
          action="Send Link"
          ask={ask}
          onSent={setSentTo}
        />
      ) : (
        <MailedCodeForm
          email={sentTo}
          type="email"
          onResend={async () => {
            // The captcha stands in the first form.
            setSentTo(undefined)
            return undefined
          }}
          onSignedIn={(session) => void goOn(session)}
        />
      )}
      <p className="mt-8 border-t border-line pt-6">
        <button type="button" onClick={onBack} className={textButtonClass}>
          Back to Sign In
        </button>
      </p>
    </AuthFrame>
  )
}
