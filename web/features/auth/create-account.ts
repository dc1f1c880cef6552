import type { SignUpValues } from '#domain/forms/forms.ts'
import { referralCodeUnknown } from '#domain/texts/account-texts.ts'
import type { Notice } from '#domain/texts/texts.ts'
import { auth, createEphemeralAuthClient } from '#web/api/auth-client.ts'
import { tablesAs } from '#web/api/client.ts'
import { authRefusal } from '#web/session/auth-refusal.ts'
import { storedInvitation } from '#web/session/space/stored-invitation.ts'
import { clearReferral } from '#web/session/referral.ts'
import { comeBackTo } from './come-back.ts'

type Outcome =
  | { problem: string }
  | { problem: null; isConfirmed: boolean; isSignedIn: boolean; referralProblem: Notice | null }

/**
 * Opens an account. The person is signed in to it here only if they came to do something (`staysSignedIn`) and the account
 * needs no confirmation. Returns the server's message if it refuses.
 *
 * @param next the page that the link in the email leads on to
 */
export async function createAccount(
  form: SignUpValues,
  options: { captchaToken?: string },
  staysSignedIn: boolean,
  next: string | undefined,
): Promise<Outcome> {
  const invitation = storedInvitation()
  const opener = createEphemeralAuthClient()
  const { data, error } = await opener.signUp({
    email: form.email,
    password: form.password,
    options: {
      ...options,
      emailRedirectTo: comeBackTo(next, 'sign-up'),
      data: {
        ...(form.displayName === '' ? {} : { display_name: form.displayName }),
        // Where sign-up is closed it lets the person in; the server stores it nowhere.
        ...(invitation === '' ? {} : { invitation }),
        ...(form.referralCode === '' ? {} : { referral_code: form.referralCode }),
      },
    },
  })
  if (error !== null) return { problem: authRefusal(error) }
  clearReferral()
  if (data.session === null)
    return { problem: null, isConfirmed: false, isSignedIn: false, referralProblem: null }
  const { access_token: token, user } = data.session
  const isKnown =
    form.referralCode === '' || (await trackReferral(token, user.id, form.referralCode))
  const isSignedIn = staysSignedIn && (await auth.setSession(data.session)).error === null
  if (!isSignedIn) await opener.signOut({ scope: 'local' })
  return {
    problem: null,
    isConfirmed: true,
    isSignedIn,
    referralProblem: isKnown ? null : referralCodeUnknown(form.referralCode),
  }
}

// The account exists even when the referral fails, so a failure is only logged.
async function trackReferral(token: string, userId: string, code: string): Promise<boolean> {
  const { data, error } = await tablesAs(token).rpc('track_referral', {
    _referred_user_id: userId,
    _referrer_code: code,
  })
  if (error === null) return data
  reportError(new Error(`track_referral: ${error.message}`))
  return true
}
