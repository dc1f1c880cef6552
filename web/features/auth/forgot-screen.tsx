import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { forgotAnswer } from '#domain/account-texts.ts'
import { routes } from '#domain/routes.ts'
import { auth } from '#web/client.ts'
import { AskForMailForm } from './ask-for-mail-form.tsx'
import { AuthFrame, textButtonClass } from './auth-frame.tsx'
import { MailedCodeForm } from './mailed-code-form.tsx'

async function ask(email: string, options: { captchaToken?: string }): Promise<string | null> {
  const redirectTo = `${window.location.origin}${routes.resetPassword.path}`
  const { error } = await auth.resetPasswordForEmail(email, { ...options, redirectTo })
  return error === null ? null : error.message
}

/** A forgotten password: asks for the address, and answers the same to everybody. */
export function ForgotScreen() {
  const navigate = useNavigate()
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string>()
  return (
    <AuthFrame
      title="Forgot password"
      heading={sentTo === undefined ? 'Forgot your password?' : 'Look into your mailbox'}
      intro={
        sentTo === undefined
          ? 'Tell us your email address, and we send you a link to set a new one.'
          : forgotAnswer
      }
    >
      {sentTo === undefined ? (
        <AskForMailForm
          email={email}
          onEmailChange={setEmail}
          action="Send Link"
          ask={ask}
          onSent={setSentTo}
        />
      ) : (
        <MailedCodeForm
          email={sentTo}
          type="recovery"
          onResend={async () => {
            // The captcha stands in the first form.
            setSentTo(undefined)
            return undefined
          }}
          onSignedIn={() => void navigate({ to: routes.resetPassword.path })}
        />
      )}
      <p className="mt-8 border-t border-line pt-6">
        <Link to={routes.auth.path} className={textButtonClass}>
          Back to Sign In
        </Link>
      </p>
    </AuthFrame>
  )
}
