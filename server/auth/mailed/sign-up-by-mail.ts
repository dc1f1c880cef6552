import { randomUUID } from 'node:crypto'
import type { Transaction } from '../../postgres/database.ts'
import { audit, type AuthCall, emailMark, transaction } from '../call.ts'
import type { Challenge } from '../flow-states.ts'
import { presentUser } from '../present-user.ts'
import { clearUnproven } from '../unproven.ts'
import { findCredentials, insertUser, putEmailIdentity, type User } from '../users.ts'
import { type Account, lockAccountOf } from './accounts.ts'
import { inVain, mailAlreadyRegistered, mailNobody, mailToken, sendSoon } from './letters.ts'
import { admitMail } from './pace.ts'

/** What somebody says who signs up; whether the address is theirs is open until they press the mailed link. */
interface Claim {
  email: string
  password: string
  metadata: Record<string, unknown>
  redirectTo: string
  challenge: Challenge | undefined
}

/**
 * Signs somebody up where addresses must be confirmed. Everybody gets the same answer in the same time: a user that
 * may or may not exist. What it really was stands in the mail.
 */
export async function signUpByMail(call: AuthCall, claim: Claim): Promise<Response> {
  const { email, password } = claim
  await admitMail(call, 'confirmation', email)
  const { hasher } = call.context
  const before = await transaction(call, (db) => findCredentials(db, email))
  const isSame = await hasher.verify(password, before?.encrypted_password)
  const passwordHash = await hasher.hash(password)
  const newId = await transaction(call, async (db) => {
    const account = await lockAccountOf(db, email)
    const fresh = { email, passwordHash, confirmed: false, metadata: claim.metadata }
    if (!account) {
      const userId = await insertUser(db, fresh)
      if (userId === undefined) await mailNobody(db, call, email)
      else await mailToken(db, call, { ...claim, userId, kind: 'confirmation' })
      return userId
    }
    // As long as making an account takes.
    await inVain(db, () => insertUser(db, { ...fresh, email: `${randomUUID()}@nobody.invalid` }))
    if (account.is_confirmed) await mailAlreadyRegistered(db, call, email)
    else await signUpAgain(db, call, account, { ...claim, passwordHash, isSame })
    return undefined
  })
  sendSoon(call)
  if (newId === undefined) audit(call, 'sign-up of a known address', { account: emailMark(email) })
  else audit(call, 'sign-up', { user_id: newId })
  const shown = presentUser(unconfirmed(newId ?? randomUUID(), email, claim.metadata))
  return Response.json(
    { ...shown, confirmation_sent_at: shown['created_at'] },
    { headers: { 'Cache-Control': 'no-store' } },
  )
}

/**
 * Two sign-ups with one address that nobody has confirmed. With one password it is the same person. With two, the
 * first may be a stranger's who waits for the owner to press the link (AU7): while the first one's link is good nobody
 * can say which password to trust, and none is; after that the newer sign-up stands in place of the old. What the
 * operator made stays as it is.
 */
async function signUpAgain(
  db: Transaction,
  call: AuthCall,
  account: Account,
  claim: Claim & { passwordHash: string; isSame: boolean },
): Promise<void> {
  const letter = { ...claim, userId: account.id, kind: 'confirmation' } as const
  if (account.is_proven)
    return mailToken(db, call, { ...letter, needsPassword: !account.has_password })
  if (claim.isSame && account.has_password) return mailToken(db, call, letter)
  const { rows } = await db.query(
    `select 1 from auth.one_time_tokens where user_id = $1 and kind = 'confirmation' and expires_at > now()`,
    [account.id],
  )
  const isDisputed = rows.length > 0
  await clearUnproven(db, account.id)
  await putEmailIdentity(db, account.id, claim.email, false)
  await db.query(
    'update auth.users set encrypted_password = $2, user_metadata = $3 where id = $1',
    isDisputed
      ? [account.id, null, {}]
      : [account.id, claim.passwordHash, JSON.stringify(claim.metadata)],
  )
  await mailToken(db, call, { ...letter, needsPassword: isDisputed })
}

/** Somebody who has yet to prove that the address is theirs: the same for a new and a taken one. */
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
