import * as z from 'zod'
import { type AuthCall, readBody, transaction } from './call.ts'
import { recordEvent, emailMark } from './record-event.ts'
import { checkNewPassword, metadata } from './credentials.ts'
import { authErrors } from './errors.ts'
import { readMailRequest } from './email-flows/request.ts'
import { signUpByEmail } from './email-flows/sign-up-by-email.ts'
import { insertSession, sessionResponse } from './sessions.ts'
import { findUser, insertUser, markSignedIn } from './users.ts'

const body = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  data: metadata.nullish(),
  code_challenge: z.string().nullish(),
  code_challenge_method: z.string().nullish(),
})

/** POST /signup: an account; a session at once with automatic confirmation, else a mail. */
export async function signUpWithPassword(call: AuthCall): Promise<Response> {
  const { auth } = call.deps.config
  const input = await readBody(call, body)
  if (!auth.signUp) throw authErrors.signUpDisabled()
  if (input.phone) throw authErrors.phoneDisabled()
  if (!input.email && !input.password) throw authErrors.anonymousDisabled()
  if (!input.password) throw authErrors.invalid('Signup requires a valid password')
  const asked = readMailRequest(call, input, 'Unable to validate email address: invalid format')
  checkNewPassword(input.password, auth.passwordMinLength)
  const claim = {
    ...asked,
    password: input.password,
    metadata: withReferralCode(input.data ?? {}),
  }
  return auth.autoconfirm ? signUpAtOnce(call, claim) : signUpByEmail(call, claim)
}

async function signUpAtOnce(
  call: AuthCall,
  claim: { email: string; password: string; metadata: Record<string, unknown> },
): Promise<Response> {
  const { email } = claim
  // Before the transaction, which would otherwise hold a connection for as long as the hash takes; and before the
  // address is looked up, so that a taken one takes the same time.
  const passwordHash = await call.deps.hasher.hash(claim.password)
  const account = { email, passwordHash, confirmed: true, metadata: claim.metadata }
  const made = await transaction(call, async (db) => {
    const id = await insertUser(db, account)
    if (id === undefined) return undefined
    await markSignedIn(db, id, passwordHash)
    const user = await findUser(db, id)
    if (!user) throw new Error('an inserted account was not found')
    return { user, session: await insertSession(db, call, id, 'password') }
  })
  if (!made) {
    recordEvent(call, 'sign-up refused', { account: emailMark(email), reason: 'exists' })
    throw authErrors.userExists()
  }
  recordEvent(call, 'sign-up', { user_id: made.user.id })
  return sessionResponse(call, made.session, made.user)
}

/** Clients call it referral_code or referrer_code; the database reads the first (migration 0002). */
function withReferralCode(data: Record<string, unknown>): Record<string, unknown> {
  const { referrer_code: other, ...rest } = data
  return other === undefined ? data : { referral_code: other, ...rest }
}
