import type { SignUpForm } from '#domain/forms.ts'
import { routes } from '#domain/routes.ts'
import { forgetReferral } from '#web/session/referral.ts'
import { createEphemeralAuthClient, tablesAs } from '#web/client.ts'

type Outcome = { problem: string } | { problem: null; isConfirmed: boolean }

/** Opens an account without signing in to it here (specification §2). Returns the server's message if it refuses. */
export async function signUp(
  form: SignUpForm,
  options: { captchaToken?: string },
): Promise<Outcome> {
  const auth = createEphemeralAuthClient()
  const { data, error } = await auth.signUp({
    email: form.email,
    password: form.password,
    options: {
      ...options,
      // web/session/sign-in-completion.ts knows by it what a link was for that is opened in another browser.
      emailRedirectTo: `${window.location.origin}${routes.auth.path}?from=sign-up`,
      data: {
        ...(form.displayName === '' ? {} : { display_name: form.displayName }),
        ...(form.referralCode === '' ? {} : { referral_code: form.referralCode }),
      },
    },
  })
  if (error !== null) return { problem: error.message }
  forgetReferral()
  if (data.session !== null) {
    if (form.referralCode !== '') {
      await trackReferral(data.session.access_token, data.session.user.id, form.referralCode)
    }
    await auth.signOut({ scope: 'local' })
  }
  return { problem: null, isConfirmed: data.session !== null }
}

// The account exists whatever becomes of the referral, so a failure is only logged (specification §7).
async function trackReferral(token: string, userId: string, code: string): Promise<void> {
  const { error } = await tablesAs(token).rpc('track_referral', {
    _referred_user_id: userId,
    _referrer_code: code,
  })
  if (error !== null) reportError(new Error(`track_referral: ${error.message}`))
}
