import * as z from 'zod'
import { type AuthCall, readAccountBody } from './call.ts'
import { claimedEmail, isTooLong, optionalText } from './credentials.ts'
import { authErrors } from './errors.ts'
import { comparePassword, type PasswordComparison } from './guessing/compare-password.ts'
import { emailMark, recordEvent } from './record-event.ts'
import { insertSession, sessionResponse } from './sessions.ts'
import { findUser, markSignedIn } from './users.ts'

export const passwordGrantBody = z.object({
  email: optionalText,
  phone: optionalText,
  password: optionalText,
})

/**
 * POST /token?grant_type=password. An unknown account and a wrong password get the same answer after the same time. Two
 * transactions: budgets and credentials before the hash, tokens back and the session after it.
 */
export async function signInWithPassword(call: AuthCall): Promise<Response> {
  const input = await readAccountBody(call, passwordGrantBody)
  if (!input.email) throw authErrors.invalid('missing email or phone')
  const email = claimedEmail(input.email)
  const password = input.password ?? ''
  if (email.length > 254 || email.includes('\0') || isTooLong(password))
    throw authErrors.invalidCredentials()

  const compared = await comparePassword(call, { email, password, isSignIn: true })
  if (compared.kind === 'right') return startSession(call, compared)
  recordEvent(call, 'sign-in failed', { user_id: compared.userId, account: emailMark(email) })
  throw authErrors.invalidCredentials()
}

async function startSession(
  call: AuthCall,
  { account, tokens }: Extract<PasswordComparison, { kind: 'right' }>,
): Promise<Response> {
  const { id, encrypted_password: passwordHash } = account
  const started = await call.deps.budgets.transaction(async (db, buckets) => {
    // A school behind one address signs in as well: a right password does not count against the address.
    for (const token of tokens) await buckets.giveBack(...token)
    // The password may have been changed, or the account deleted, while it was compared.
    const isUnchanged = await markSignedIn(db, id, passwordHash)
    const user = isUnchanged ? await findUser(db, id) : undefined
    if (!user) return authErrors.invalidCredentials()
    if (user.is_banned) return authErrors.userBannedAtToken()
    if (!user.email_confirmed_at) return authErrors.emailNotConfirmed()
    return { user, session: await insertSession(db, call, id, 'password') }
  })
  if (started instanceof Error) throw started
  const { user, session } = started
  recordEvent(call, 'sign-in', { user_id: user.id, session_id: session.id })
  return sessionResponse(call, session, user)
}
