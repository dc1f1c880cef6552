import { isUniqueViolation } from '../../primitives/error-code.ts'
import type { Transaction } from '../../postgres/database.ts'
import type { AuthCall } from '../call.ts'
import { authErrors } from '../errors.ts'
import type { Challenge } from '../flow-states.ts'
import { putEmailIdentity } from '../users.ts'
import { type LockedAccount, lockAccount, lockAccountOf } from './accounts.ts'
import { emailAlreadyRegistered, emailToken } from './emails.ts'
import { dropTokens, type EmailTokenKind } from './one-time-tokens.ts'
import { admitMail } from './mail-limits.ts'

interface WayBack {
  redirectTo: string
  challenge: Challenge | undefined
}

/** Admits a change of address. Both addresses get an email, so the limits of both count. */
export async function admitEmailChange(
  call: AuthCall,
  user: { email: string | null },
  newEmail: string,
): Promise<void> {
  const old = user.email === null ? [] : [user.email]
  await admitMail(call, 'email_change', newEmail, ...old)
}

/**
 * Starts a change of address, which happens once the old and the new address have both confirmed it. An old address that
 * was never verified is not asked.
 */
export async function beginEmailChange(
  db: Transaction,
  call: AuthCall,
  userId: string,
  newEmail: string,
  way: WayBack,
): Promise<void> {
  const account = await lockAccount(db, userId)
  if (!account) throw authErrors.userNotFound()
  const change = {
    new_email: newEmail,
    email_change_agreed: account.email === null || !account.is_proven,
    email_change_proven: false,
  }
  await db.query(
    `update auth.users set new_email = $2, email_change_agreed = $3, email_change_proven = false, updated_at = now()
      where id = $1`,
    [userId, newEmail, change.email_change_agreed],
  )
  await emailAddressChange(db, call, { ...account, ...change }, way)
}

/** Emails the addresses that have not confirmed the change yet. */
export async function emailAddressChange(
  db: Transaction,
  call: AuthCall,
  account: LockedAccount & { new_email: string },
  way: WayBack,
): Promise<void> {
  const { id: userId, email: old, new_email: newEmail } = account
  if (!account.email_change_agreed && old !== null) {
    const email = { userId, kind: 'email_change_current', email: old, newEmail, ...way } as const
    await emailToken(db, call, email)
  }
  if (account.email_change_proven) return
  // The requester does not learn that the address has an account; its owner gets a notice.
  const owner = await lockAccountOf(db, newEmail)
  if (owner) await emailAlreadyRegistered(db, call, newEmail)
  else await emailToken(db, call, { userId, kind: 'email_change_new', email: newEmail, ...way })
}

/** One of the two addresses has confirmed the change. @returns whether the account now has the new address */
export async function agreeToEmailChange(
  db: Transaction,
  account: LockedAccount,
  kind: Extract<EmailTokenKind, 'email_change_current' | 'email_change_new'>,
): Promise<boolean> {
  const isAgreed = account.email_change_agreed || kind === 'email_change_current'
  const isProven = account.email_change_proven || kind === 'email_change_new'
  if (account.new_email === null) throw authErrors.otpExpired()
  if (!isAgreed || !isProven) {
    await db.query(
      'update auth.users set email_change_agreed = $2, email_change_proven = $3 where id = $1',
      [account.id, isAgreed, isProven],
    )
    return false
  }
  await moveTo(db, account.id, account.new_email)
  return true
}

/** Also voids all links and codes that are on their way to the old address. */
async function moveTo(db: Transaction, id: string, email: string): Promise<void> {
  try {
    await db.query(
      `update auth.users set email = $2, email_confirmed_at = now(), email_proven_at = now(), updated_at = now()
        where id = $1`,
      [id, email],
    )
  } catch (error) {
    // The requester has shown that the address is theirs, so they may know that it has an account.
    if (isUniqueViolation(error)) throw authErrors.emailExists()
    throw error
  }
  await dropTokens(db, id)
  const { rows } = await db.query(
    `select 1 from auth.identities where user_id = $1 and provider = 'email'`,
    [id],
  )
  if (rows.length > 0) await putEmailIdentity(db, id, email, true)
}
