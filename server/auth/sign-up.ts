import { randomUUID } from 'node:crypto'
import type { Transaction } from '../postgres/database.ts'
import { firstRow } from '../postgres/rows.ts'
import { type AuthCall, readAccountBody, transaction } from './call.ts'
import { checkNewPassword, optionalText } from './credentials.ts'
import { emailAlreadyRegistered, emailToken } from './email-flows/emails.ts'
import { admitMail, mailRequest, readMailRequest } from './email-flows/requests.ts'
import { authErrors } from './errors.ts'
import { opensSignUp, takeInvitation } from './invitations.ts'
import type { Challenge } from './flow-states.ts'
import { findSignInAccount } from './guessing/compare-password.ts'
import { presentUser } from './present-user.ts'
import { emailMark, recordEvent } from './record-event.ts'
import { insertSession, sessionResponse } from './sessions.ts'
import {
  emailProvider,
  findLockedUser,
  insertUser,
  lockAccountOf,
  type LockedAccount,
  markSignedIn,
  resetAccount,
} from './users.ts'

export const signUpBody = mailRequest.extend({ password: optionalText })

/** POST /signup: an account; a session at once with automatic confirmation, else a mail. */
export async function signUpWithPassword(call: AuthCall): Promise<Response> {
  const { auth } = call.deps.config
  const input = await readAccountBody(call, signUpBody)
  const { invitation, data } = takeInvitation(input.data)
  if (!auth.signUp && !(await opensSignUp(call, invitation, input.email)))
    throw authErrors.signUpDisabled()
  if (!input.email && !input.password) throw authErrors.anonymousDisabled()
  if (!input.password) throw authErrors.invalid('Signup requires a valid password')
  const asked = readMailRequest(call, input, 'Unable to validate email address: invalid format')
  checkNewPassword(input.password, auth.passwordMinLength)
  const claim = {
    ...asked,
    password: input.password,
    metadata: withReferralCode(data),
  }
  return auth.autoconfirm ? signUpAtOnce(call, claim) : signUpByEmail(call, claim)
}

async function signUpAtOnce(call: AuthCall, claim: SignUpClaim): Promise<Response> {
  const { email } = claim
  // Before the transaction, which would otherwise hold a connection for as long as the hash takes; and before the
  // address is looked up, so that a taken one takes the same time.
  const passwordHash = await call.deps.hasher.hash(claim.password)
  const made = await transaction(call, async (db) => {
    const id = await insertUser(db, { ...claim, passwordHash, confirmed: true })
    if (id === undefined) return undefined
    await markSignedIn(db, id, passwordHash)
    const user = await findLockedUser(db, id)
    return { user, session: await insertSession(db, call, id, 'password') }
  })
  if (!made) {
    recordEvent(call, 'sign-up refused', { account: emailMark(email), reason: 'exists' })
    throw authErrors.userExists()
  }
  recordEvent(call, 'sign-up', { user_id: made.user.id })
  return sessionResponse(call, made.session, made.user)
}

/** Clients call it referral_code or referrer_code; the database reads the first (database/code/02_accounts.sql). */
function withReferralCode(data: Record<string, unknown>): Record<string, unknown> {
  const { referrer_code: other, ...rest } = data
  return other === undefined ? data : { referral_code: other, ...rest }
}

/** The data of a sign-up. Whether the address is the person's own is open until they press the emailed link. */
interface SignUpClaim {
  email: string
  password: string
  metadata: Record<string, unknown>
  redirectTo: string
  challenge: Challenge | undefined
}

/**
 * A sign-up where addresses must be confirmed. The response is the same for new and known addresses: a user that may or
 * may not exist. Only the email tells which it was.
 */
async function signUpByEmail(call: AuthCall, claim: SignUpClaim): Promise<Response> {
  const { email, password } = claim
  await admitMail(call, 'confirmation', email)
  const { hasher } = call.deps
  const before = await transaction(call, (db) => findSignInAccount(db, email))
  const isSame = await hasher.verify(password, before?.encrypted_password)
  const passwordHash = await hasher.hash(password)
  const newId = await transaction(call, async (db) => {
    const account = await lockAccountOf(db, email)
    if (!account) {
      const userId = await insertUser(db, { ...claim, passwordHash, confirmed: false })
      if (userId !== undefined)
        await emailToken(db, call, { ...claim, userId, kind: 'confirmation' })
      return userId
    }
    if (account.email_confirmed_at) await emailAlreadyRegistered(db, call, email)
    else await signUpAgain(db, call, account, { ...claim, passwordHash, isSame })
    return undefined
  })
  call.deps.mail.wake()
  if (newId === undefined)
    recordEvent(call, 'sign-up of a known address', { account: emailMark(email) })
  else recordEvent(call, 'sign-up', { user_id: newId })
  const now = new Date()
  const shown = presentUser({
    id: newId ?? randomUUID(),
    email,
    confirmation_sent_at: now,
    user_metadata: claim.metadata,
    app_metadata: emailProvider,
    identities: [],
    created_at: now,
    updated_at: now,
  })
  return Response.json(shown)
}

/**
 * A second sign-up with an address that was never confirmed. With the same password it is the same person. With another,
 * the first sign-up may be a stranger's who waits for the owner to press the link: while that link is valid neither
 * password can be trusted, and both are dropped; after that the newer sign-up replaces the older. An account that the
 * operator made stays as it is.
 */
async function signUpAgain(
  db: Transaction,
  call: AuthCall,
  account: LockedAccount,
  claim: SignUpClaim & { passwordHash: string; isSame: boolean },
): Promise<void> {
  const wanted = { ...claim, userId: account.id, kind: 'confirmation' } as const
  const hasPassword = account.encrypted_password !== null
  if (account.is_email_proven)
    return emailToken(db, call, { ...wanted, needsPassword: !hasPassword })
  if (claim.isSame && hasPassword) return emailToken(db, call, wanted)
  const isDisputed = await firstRow(
    db,
    `select 1 from auth.one_time_tokens where user_id = $1 and kind = 'confirmation' and expires_at > now()`,
    [account.id],
  )
  await resetAccount(db, account.id, isDisputed ? { email: claim.email } : claim)
  await emailToken(db, call, { ...wanted, needsPassword: isDisputed !== undefined })
}
