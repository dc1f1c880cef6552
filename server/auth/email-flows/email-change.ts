import type { Transaction } from '../../postgres/database.ts'
import type { AuthCall } from '../call.ts'
import { authErrors } from '../errors.ts'
import type { Challenge } from '../flow-states.ts'
import { lockAccountOf, type LockedAccount, updateUser } from '../users.ts'
import { emailAlreadyRegistered, emailToken } from './emails.ts'
import { dropTokens, type EmailTokenKind } from './one-time-tokens.ts'

/**
 * Stores that an address is to change, which happens once the old and the new address have both confirmed it. An old
 * address that was never verified is not asked.
 */
export async function storeEmailChange(
  db: Transaction,
  { id, email, is_email_proven: isProven }: LockedAccount,
  newEmail: string,
): Promise<{ new_email: string; email_change_agreed: boolean; email_change_proven: boolean }> {
  const isAgreed = email === null || !isProven
  await db.query(
    `update auth.users set new_email = $2, email_change_agreed = $3, email_change_proven = false, updated_at = now()
      where id = $1`,
    [id, newEmail, isAgreed],
  )
  return { new_email: newEmail, email_change_agreed: isAgreed, email_change_proven: false }
}

/** Emails the addresses that have not confirmed the change yet. */
export async function emailAddressChange(
  db: Transaction,
  call: AuthCall,
  account: LockedAccount & { new_email: string },
  { redirectTo, challenge }: { redirectTo: string; challenge: Challenge | undefined },
): Promise<void> {
  const { email: old, new_email: newEmail } = account
  const link = { userId: account.id, redirectTo, challenge }
  if (!account.email_change_agreed && old !== null)
    await emailToken(db, call, { ...link, kind: 'email_change_current', email: old, newEmail })
  if (account.email_change_proven) return
  // The requester does not learn that the address has an account, not by this time either; its owner gets a notice.
  await db.query('update auth.users set email_change_sent_at = now() where id = $1', [account.id])
  const owner = await lockAccountOf(db, newEmail)
  if (owner) await emailAlreadyRegistered(db, call, newEmail)
  else await emailToken(db, call, { ...link, kind: 'email_change_new', email: newEmail })
}

/**
 * One of the two addresses has confirmed the change. Once both have, all links and codes on their way to the old address
 * are void.
 *
 * @returns whether the account now has the new address
 * @throws {AuthError} 422 email_exists: the requester has shown that the address is theirs, so they may know
 */
export async function agreeToEmailChange(
  db: Transaction,
  account: LockedAccount,
  kind: Extract<EmailTokenKind, 'email_change_current' | 'email_change_new'>,
): Promise<boolean> {
  const isAgreed = account.email_change_agreed || kind === 'email_change_current'
  const isProven = account.email_change_proven || kind === 'email_change_new'
  if (account.new_email === null) throw authErrors.otpExpired()
  if (isAgreed && isProven) {
    await updateUser(db, account.id, { email: account.new_email, isProven: true })
    await dropTokens(db, account.id)
    return true
  }
  await db.query(
    'update auth.users set email_change_agreed = $2, email_change_proven = $3 where id = $1',
    [account.id, isAgreed, isProven],
  )
  return false
}
