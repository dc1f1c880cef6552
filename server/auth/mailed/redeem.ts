import type { Transaction } from '../../postgres/database.ts'
import { audit, type AuthCall } from '../call.ts'
import { authErrors } from '../errors.ts'
import { refreshProviders } from '../providers/identities.ts'
import type { AuthenticationMethod } from '../sessions.ts'
import { clearUnproven } from '../unproven.ts'
import { findUser, putEmailIdentity, type User } from '../users.ts'
import { type Account, lockAccount } from './accounts.ts'
import { agreeToEmailChange } from './email-change.ts'
import { type MailedKind, type MailedToken, takeToken } from './one-time-tokens.ts'

/** A mailed link or code that came back and was good; it is used up. */
export type Redeemed<Result> =
  | SignedIn<Result>
  /** A change of address for which the other address has yet to agree. */
  | { kind: 'half'; token: MailedToken }

export interface SignedIn<Result> {
  kind: 'signed in'
  user: User
  token: MailedToken
  tookOver: boolean
  result: Result
}

/** How a session that came by mail says that it came. */
export const mailedMethods: Record<MailedKind, AuthenticationMethod> = {
  confirmation: 'email/signup',
  recovery: 'recovery',
  magiclink: 'magiclink',
  invite: 'invite',
  email_change_current: 'email_change',
  email_change_new: 'email_change',
  reauthentication: 'otp',
}

/**
 * Uses a token up, does what it is good for, and `then` in the same transaction.
 *
 * @returns undefined when it is not, or no longer, good
 */
export async function redeem<Result>(
  db: Transaction,
  token: MailedToken,
  then: (user: User) => Promise<Result>,
): Promise<Redeemed<Result> | undefined> {
  const account = await lockAccount(db, token.user_id)
  if (!account || !(await takeToken(db, token))) return undefined
  const effect = await carryOut(db, account, token)
  if (effect === 'void') return undefined
  if (effect === 'half') return { kind: 'half', token }
  await db.query('update auth.users set last_sign_in_at = now() where id = $1', [account.id])
  const user = await findUser(db, account.id)
  if (!user) return undefined
  if (user.is_banned) throw authErrors.userBanned(403)
  return {
    kind: 'signed in',
    user,
    token,
    tookOver: effect === 'taken over',
    result: await then(user),
  }
}

/** For the security log, beside the sign-in. */
export function noteEffects(call: AuthCall, { token, tookOver }: SignedIn<unknown>): void {
  const facts = { user_id: token.user_id, by: token.kind }
  if (tookOver) audit(call, 'account taken over by who proved its address', facts)
  if (token.kind.startsWith('email_change')) audit(call, 'address changed', facts)
}

async function carryOut(
  db: Transaction,
  account: Account,
  { kind, email }: MailedToken,
): Promise<'done' | 'taken over' | 'half' | 'void'> {
  if (kind === 'email_change_current' || kind === 'email_change_new') {
    const isOld = kind === 'email_change_current'
    if (email !== (isOld ? account.email : account.new_email)) return 'void'
    return (await agreeToEmailChange(db, account, kind)) ? 'done' : 'half'
  }
  // The address may have been changed since the mail went out.
  if (email !== account.email || kind === 'reauthentication') return 'void'
  const takesOver = !account.is_proven && !isItsOwn(kind, account)
  if (takesOver) await clearUnproven(db, account.id)
  await markProven(db, account.id, email, takesOver)
  return takesOver ? 'taken over' : 'done'
}

/**
 * Whether the mail belongs to how the account came to be. By any other way somebody proves an address that another may
 * have signed up with, to wait for its owner: then what that one put in goes (AU7).
 */
function isItsOwn(kind: MailedKind, account: Account): boolean {
  return (
    kind === 'confirmation' || (kind === 'invite' && account.is_invited && !account.has_password)
  )
}

async function markProven(
  db: Transaction,
  id: string,
  email: string,
  isCleared: boolean,
): Promise<void> {
  await db.query(
    `update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()),
        email_proven_at = coalesce(email_proven_at, now()) where id = $1`,
    [id],
  )
  await db.query(
    `update auth.identities set identity_data = identity_data || '{"email_verified": true}', last_sign_in_at = now(),
        updated_at = now() where user_id = $1 and provider = 'email'`,
    [id],
  )
  if (!isCleared) return
  await putEmailIdentity(db, id, email, true)
  await refreshProviders(db, id)
}
