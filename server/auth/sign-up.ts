import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { audit, type AuthCall, emailMark, readBody, transaction } from './call.ts'
import { checkNewPassword, metadata, normalizeEmail } from './credentials.ts'
import { authErrors } from './errors.ts'
import { presentUser } from './present-user.ts'
import { insertSession, sessionResponse } from './sessions.ts'
import { findUser, insertUser, markSignedIn, type User } from './users.ts'

const body = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  data: metadata.nullish(),
})

/** POST /signup: an account, and with automatic confirmation a session at once. */
export async function signUp(call: AuthCall): Promise<Response> {
  const { auth } = call.context.config
  const input = await readBody(call, body)
  if (!auth.signUp) throw authErrors.signUpDisabled()
  if (input.phone) throw authErrors.phoneDisabled()
  if (!input.email && !input.password) throw authErrors.anonymousDisabled()
  if (!input.password) throw authErrors.invalid('Signup requires a valid password')
  const email = normalizeEmail(input.email ?? '')
  checkNewPassword(input.password, auth.passwordMinLength)

  // Before the transaction, which would otherwise hold a connection for as long as the hash takes; and before the
  // address is looked up, so that a taken one takes the same time.
  const passwordHash = await call.context.hasher.hash(input.password)
  const account = {
    email,
    passwordHash,
    confirmed: auth.autoconfirm,
    metadata: withReferralCode(input.data ?? {}),
  }
  const made = await transaction(call, async (db) => {
    const id = await insertUser(db, account)
    if (id === undefined) return undefined
    if (auth.autoconfirm) await markSignedIn(db, id, passwordHash)
    const user = await findUser(db, id)
    if (!user) throw new Error('an inserted account was not found')
    return {
      user,
      session: auth.autoconfirm ? await insertSession(db, call, id, 'password') : undefined,
    }
  })

  if (!made) {
    audit(call, 'sign-up refused', { account: emailMark(email), reason: 'exists' })
    if (auth.autoconfirm) throw authErrors.userExists()
    return unconfirmed(stranger(email, account.metadata))
  }
  audit(call, 'sign-up', { user_id: made.user.id })
  return made.session ? sessionResponse(call, made.session, made.user) : unconfirmed(made.user)
}

/** The answer to somebody who has yet to prove that the address is theirs: the same for a new and a taken one. */
function unconfirmed(user: User): Response {
  const shown = presentUser({
    ...user,
    email_confirmed_at: null,
    last_sign_in_at: null,
    identities: [],
  })
  return Response.json(
    { ...shown, confirmation_sent_at: shown['created_at'] },
    { headers: { 'Cache-Control': 'no-store' } },
  )
}

/** What a taken address gets in confirm mode: a user that does not exist, so that nobody learns who has an account. */
function stranger(email: string, user_metadata: Record<string, unknown>): User {
  const now = new Date()
  return {
    id: randomUUID(),
    email,
    email_confirmed_at: null,
    last_sign_in_at: null,
    is_banned: false,
    banned_until: null,
    phone: null,
    phone_confirmed_at: null,
    new_email: null,
    confirmation_sent_at: null,
    recovery_sent_at: null,
    email_change_sent_at: null,
    invited_at: null,
    user_metadata,
    app_metadata: { provider: 'email', providers: ['email'] },
    created_at: now,
    updated_at: now,
    identities: [],
    factors: [],
  }
}

/** Clients call it referral_code or referrer_code; the database reads the first (migration 0004). */
function withReferralCode(data: Record<string, unknown>): Record<string, unknown> {
  const { referrer_code: other, ...rest } = data
  return other === undefined ? data : { referral_code: other, ...rest }
}
