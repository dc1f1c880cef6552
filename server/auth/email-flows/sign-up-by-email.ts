import { randomUUID } from 'node:crypto'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, transaction } from '../call.ts'
import { recordEvent, emailMark } from '../record-event.ts'
import type { Challenge } from '../flow-states.ts'
import { presentUser } from '../present-user.ts'
import { clearUnverifiedAccount } from '../clear-unverified-account.ts'
import { findCredentials, insertUser, putEmailIdentity, type User } from '../users.ts'
import { type LockedAccount, lockAccountOf } from './accounts.ts'
import { emailAlreadyRegistered, emailToken } from './emails.ts'
import { admitMail } from './mail-limits.ts'

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
export async function signUpByEmail(call: AuthCall, claim: SignUpClaim): Promise<Response> {
  const { email, password } = claim
  await admitMail(call, 'confirmation', email)
  const { hasher } = call.deps
  const before = await transaction(call, (db) => findCredentials(db, email))
  const isSame = await hasher.verify(password, before?.encrypted_password)
  const passwordHash = await hasher.hash(password)
  const newId = await transaction(call, async (db) => {
    const account = await lockAccountOf(db, email)
    const fresh = { email, passwordHash, confirmed: false, metadata: claim.metadata }
    if (!account) {
      const userId = await insertUser(db, fresh)
      if (userId !== undefined)
        await emailToken(db, call, { ...claim, userId, kind: 'confirmation' })
      return userId
    }
    if (account.is_confirmed) await emailAlreadyRegistered(db, call, email)
    else await signUpAgain(db, call, account, { ...claim, passwordHash, isSame })
    return undefined
  })
  call.deps.mail.wake()
  if (newId === undefined)
    recordEvent(call, 'sign-up of a known address', { account: emailMark(email) })
  else recordEvent(call, 'sign-up', { user_id: newId })
  const shown = presentUser(unconfirmed(newId ?? randomUUID(), email, claim.metadata))
  return Response.json(
    { ...shown, confirmation_sent_at: shown['created_at'] },
    { headers: { 'Cache-Control': 'no-store' } },
  )
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
  if (account.is_proven)
    return emailToken(db, call, { ...wanted, needsPassword: !account.has_password })
  if (claim.isSame && account.has_password) return emailToken(db, call, wanted)
  const { rows } = await db.query(
    `select 1 from auth.one_time_tokens where user_id = $1 and kind = 'confirmation' and expires_at > now()`,
    [account.id],
  )
  const isDisputed = rows.length > 0
  await clearUnverifiedAccount(db, account.id)
  await putEmailIdentity(db, account.id, claim.email, false)
  await db.query(
    'update auth.users set encrypted_password = $2, user_metadata = $3 where id = $1',
    isDisputed
      ? [account.id, null, {}]
      : [account.id, claim.passwordHash, JSON.stringify(claim.metadata)],
  )
  await emailToken(db, call, { ...wanted, needsPassword: isDisputed })
}

/** The user of the response, the same for a new and a known address. */
function unconfirmed(id: string, email: string, user_metadata: Record<string, unknown>): User {
  const now = new Date()
  return {
    id,
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
