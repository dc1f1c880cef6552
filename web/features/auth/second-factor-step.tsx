import { SecondFactorForm } from '#web/session/second-factor-form.tsx'
import { signOut } from '#web/session/session.ts'
import { welcome } from '#web/session/welcome.ts'
import { auth } from '#web/api/auth-client.ts'
import { AuthFrame, textButtonClass } from './auth-frame.tsx'

/** The password, the link or the provider was right; now the second factor. */
export function SecondFactorStep({ userId }: { userId: string }) {
  async function finish() {
    const { data } = await auth.getSession()
    if (data.session !== null) welcome(data.session)
  }

  return (
    <AuthFrame
      title="Second factor"
      heading="One more step"
      intro="Your account is protected with a second factor."
    >
      <SecondFactorForm client={auth} userId={userId} onDone={() => void finish()} />
      <p className="mt-8 border-t border-line pt-6">
        <button type="button" onClick={signOut} className={textButtonClass}>
          Use another account
        </button>
      </p>
    </AuthFrame>
  )
}
