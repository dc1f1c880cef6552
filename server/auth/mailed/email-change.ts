import type { Transaction } from '../../postgres/database.ts'
import type { AuthCall } from '../call.ts'
import { authErrors } from '../errors.ts'
import type { Challenge } from '../flow-states.ts'
import { putEmailIdentity } from '../users.ts'
import { type Account, lockAccount, lockAccountOf } from './accounts.ts'
import { mailAlreadyRegistered, mailToken } from './letters.ts'
import { dropTokens, type MailedKind } from './one-time-tokens.ts'
import { admitMail } from './pace.ts'

interface WayBack {
  redirectTo: string
  challenge: Challenge | undefined
}

/** Lets somebody ask for a change of their address; both addresses get a mail, so both are spared. */
export async function admitEmailChange(
  call: AuthCall,
  user: { email: string | null },
  newEmail: string,
): Promise<void> {
  const old = user.email === null ? [] : [user.email]
  await admitMail(call, 'email_change', newEmail, ...old)
}

/**
 * Begins a change of address: it happens once the old and the new address have both agreed. An old address that nobody
 * has shown to be theirs has no say.
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
  await mailEmailChange(db, call, { ...account, ...change }, way)
}

/** Mails both addresses, those that have not agreed yet. */
export async function mailEmailChange(
  db: Transaction,
  call: AuthCall,
  account: Account & { new_email: string },
  way: WayBack,
): Promise<void> {
  const { id: userId, email: old, new_email: newEmail } = account
  if (!account.email_change_agreed && old !== null) {
    const letter = { userId, kind: 'email_change_current', email: old, newEmail, ...way } as const
    await mailToken(db, call, letter)
  }
  if (account.email_change_proven) return
  // Whoever asked is not told that the address is somebody else's: its owner is.
  const owner = await lockAccountOf(db, newEmail)
  if (owner) await mailAlreadyRegistered(db, call, newEmail)
  else await mailToken(db, call, { userId, kind: 'email_change_new', email: newEmail, ...way })
}

/** One of the two addresses has agreed. @returns whether the account now has the new one */
export async function agreeToEmailChange(
  db: Transaction,
  account: Account,
  kind: Extract<MailedKind, 'email_change_current' | 'email_change_new'>,
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

/** What is on its way to the old address is worthless from now. */
async function moveTo(db: Transaction, id: string, email: string): Promise<void> {
  try {
    await db.query(
      `update auth.users set email = $2, email_confirmed_at = now(), email_proven_at = now(), updated_at = now()
        where id = $1`,
      [id, email],
    )
  } catch (error) {
    // It shows that the address is theirs, so they may know.
    if (error instanceof Error && 'code' in error && error.code === '23505')
      throw authErrors.emailExists()
    throw error
  }
  await dropTokens(db, id)
  const { rows } = await db.query(
    `select 1 from auth.identities where user_id = $1 and provider = 'email'`,
    [id],
  )
  if (rows.length > 0) await putEmailIdentity(db, id, email, true)
}
