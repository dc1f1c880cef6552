import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { refreshProviders } from '../providers/identities.ts'
import type { AuthenticationMethod } from '../sessions.ts'
import { clearUnverifiedAccount } from '../clear-unverified-account.ts'
import { findUser, putEmailIdentity, type User } from '../users.ts'
import { type LockedAccount, lockAccount } from './accounts.ts'
import { agreeToEmailChange } from './email-change.ts'
import { type EmailTokenKind, type EmailToken, consumeToken } from './one-time-tokens.ts'

/** An emailed link or code that came back and was valid; it is consumed. */
export type RedeemedToken<Result> =
  | EmailSignIn<Result>
  /** A change of address that the other address has yet to confirm. */
  | { kind: 'half'; token: EmailToken }

export interface EmailSignIn<Result> {
  kind: 'signed in'
  user: User
  token: EmailToken
  tookOver: boolean
  result: Result
}

/** The `amr` method of a session that began with an email. */
export const emailMethods: Record<EmailTokenKind, AuthenticationMethod> = {
  confirmation: 'email/signup',
  recovery: 'recovery',
  magiclink: 'magiclink',
  invite: 'invite',
  email_change_current: 'email_change',
  email_change_new: 'email_change',
  reauthentication: 'otp',
}

/**
 * Consumes a token, carries out what it is for, and runs `then` in the same transaction.
 *
 * @returns undefined when the token is not, or no longer, valid
 */
export async function redeemToken<Result>(
  db: Transaction,
  token: EmailToken,
  then: (user: User) => Promise<Result>,
): Promise<RedeemedToken<Result> | undefined> {
  const account = await lockAccount(db, token.user_id)
  if (!account || !(await consumeToken(db, token))) return undefined
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

/** Records what a token did besides the sign-in. */
export function recordEffects(call: AuthCall, { token, tookOver }: EmailSignIn<unknown>): void {
  const facts = { user_id: token.user_id, by: token.kind }
  if (tookOver) recordEvent(call, 'account taken over by who proved its address', facts)
  if (token.kind.startsWith('email_change')) recordEvent(call, 'address changed', facts)
}

async function carryOut(
  db: Transaction,
  account: LockedAccount,
  { kind, email }: EmailToken,
): Promise<'done' | 'taken over' | 'half' | 'void'> {
  if (kind === 'email_change_current' || kind === 'email_change_new') {
    const isOld = kind === 'email_change_current'
    if (email !== (isOld ? account.email : account.new_email)) return 'void'
    return (await agreeToEmailChange(db, account, kind)) ? 'done' : 'half'
  }
  // The address may have changed since the email went out.
  if (email !== account.email || kind === 'reauthentication') return 'void'
  const takesOver = !account.is_proven && !isItsOwn(kind, account)
  if (takesOver) await clearUnverifiedAccount(db, account.id)
  await markProven(db, account.id, email, takesOver)
  return takesOver ? 'taken over' : 'done'
}

/**
 * Whether the email belongs to the creation of the account. With any other email a person proves an address that a stranger
 * may have signed up with, to wait for its owner: then what the stranger put in is removed.
 */
function isItsOwn(kind: EmailTokenKind, account: LockedAccount): boolean {
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
