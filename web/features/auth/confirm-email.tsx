import { getRouteApi } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { authRefusal } from '#web/session/auth-refusal.ts'
import { useCaptcha } from '#web/session/captcha.tsx'
import { auth } from '#web/api/auth-client.ts'
import { welcome } from '#web/session/welcome.ts'
import { AuthFrame, textButtonClass } from './auth-frame.tsx'
import { comeBackTo } from './come-back.ts'
import { MailedCodeForm } from './mailed-code-form.tsx'

const route = getRouteApi(routes.auth.path)

interface ConfirmEmailProps {
  email: string
  onBack: () => void
}

/** After a sign-up on a server that wants addresses confirmed. */
export function ConfirmEmail({ email, onBack }: ConfirmEmailProps) {
  const { next } = route.useSearch()
  const captcha = useCaptcha()

  async function resend() {
    const options = captcha.take()
    if (options === undefined) return undefined
    const emailRedirectTo = comeBackTo(next, 'sign-up')
    const { error } = await auth.resend({
      type: 'signup',
      email,
      options: { ...options, emailRedirectTo },
    })
    return error === null ? null : authRefusal(error)
  }

  return (
    <AuthFrame
      title="Confirm your email"
      heading="Confirm your email"
      intro={
        <>
          We have sent an email to{' '}
          <strong className="font-medium text-ink wrap-anywhere">{email}</strong>. Open the link in
          it, and you are signed in.
        </>
      }
    >
      <div className="grid gap-5">
        <MailedCodeForm email={email} type="signup" onResend={resend} onSignedIn={welcome} />
        {captcha.widget}
      </div>
      <p className="mt-8 border-t border-line pt-6">
        <button type="button" onClick={onBack} className={textButtonClass}>
          Back to Sign In
        </button>
      </p>
    </AuthFrame>
  )
}
