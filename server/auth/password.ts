import * as z from 'zod'
import { limitKey } from '../http/client-address.ts'
import { audit, type AuthCall, emailMark, readBody, transaction } from './call.ts'
import { comparePassword } from './compare-password.ts'
import { longestPassword } from './credentials.ts'
import { authErrors } from './errors.ts'
import { policies } from './limits.ts'
import { insertSession, sessionResponse } from './sessions.ts'
import { findUser, markSignedIn } from './users.ts'

const body = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
})

/** POST /token?grant_type=password. Unknown account and wrong password answer alike, in words and in time. */
export async function signInWithPassword(call: AuthCall): Promise<Response> {
  const input = await readBody(call, body)
  if (input.phone) throw authErrors.phoneDisabled()
  if (!input.email) throw authErrors.invalid('missing email or phone')
  const email = input.email.trim().toLowerCase()
  const password = input.password ?? ''
  if (email.length > 254 || email.includes('\0') || Buffer.byteLength(password) > longestPassword) {
    throw authErrors.invalidCredentials()
  }

  const compared = await comparePassword(call, email, password)
  if (compared.wait !== undefined) {
    audit(call, 'sign-in held back', { account: emailMark(email) })
    throw authErrors.tooManyAttempts(compared.wait)
  }
  const { isRight, known } = compared
  if (!isRight || !known) {
    audit(call, 'sign-in failed', { user_id: known?.id, account: emailMark(email) })
    throw authErrors.invalidCredentials()
  }
  // A school behind one address signs in as well: only what was not right is counted on the address.
  await call.context.budgets.giveBack(policies.token, limitKey(call.caller.address))
  return startSession(call, known.id, known.encrypted_password)
}

async function startSession(
  call: AuthCall,
  id: string,
  passwordHash: string | null,
): Promise<Response> {
  const { user, session } = await transaction(call, async (db) => {
    // The password may have been changed, or the account deleted, while it was compared.
    const unchanged = await markSignedIn(db, id, passwordHash)
    const person = unchanged ? await findUser(db, id) : undefined
    if (!person) throw authErrors.invalidCredentials()
    if (person.is_banned) throw authErrors.userBanned(400)
    if (!person.email_confirmed_at) throw authErrors.emailNotConfirmed()
    return { user: person, session: await insertSession(db, call, id, 'password') }
  })
  audit(call, 'sign-in', { user_id: user.id, session_id: session.id })
  return sessionResponse(call, session, user)
}
