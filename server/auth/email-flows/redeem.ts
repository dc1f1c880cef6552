import type { Transaction } from '../../postgres/database.ts'
import type { AuthCall } from '../call.ts'
import { authErrors } from '../errors.ts'
import { insertFlow, issueAuthCode } from '../flow-states.ts'
import { refreshProviders } from '../providers/identities.ts'
import { recordEvent } from '../record-event.ts'
import type { AuthenticationMethod } from '../sessions.ts'
import {
  clearUnverifiedAccount,
  findUser,
  lockAccount,
  type LockedAccount,
  markEmailProven,
  putEmailIdentity,
  type User,
} from '../users.ts'
import { agreeToEmailChange } from './email-change.ts'
import { consumeToken, type EmailToken, type EmailTokenKind, findById } from './one-time-tokens.ts'

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
  const { id } = account
  const takesOver = !account.is_proven && !isItsOwn(kind, account)
  if (takesOver) await clearUnverifiedAccount(db, id)
  await markEmailProven(db, id)
  await db.query(
    `update auth.identities set identity_data = identity_data || '{"email_verified": true}', last_sign_in_at = now(),
        updated_at = now() where user_id = $1 and provider = 'email'`,
    [id],
  )
  if (!takesOver) return 'done'
  await putEmailIdentity(db, id, email, true)
  await refreshProviders(db, id)
  return 'taken over'
}

/**
 * Whether the email belongs to the creation of the account. With any other email a person proves an address that a stranger
 * may have signed up with, to wait for its owner: then what the stranger put in is removed.
 */
function isItsOwn(kind: EmailTokenKind, account: LockedAccount): boolean {
  if (kind === 'confirmation') return true
  return kind === 'invite' && account.is_invited && account.encrypted_password === null
}

// A link that one browser requested with PKCE may be opened in another, on the phone that shows the email. That must not
// void the link, or the code in the email, for the browser that waits (docs/decisions/0063-a-link-waits-for-its-browser.md).

/** Whether this link stays valid until its code comes back with the verifier. */
export function isHeldLink({ kind, challenge }: EmailToken): boolean {
  return challenge !== null && (kind === 'recovery' || kind === 'magiclink')
}

/** Issues a code that consumes the link when it is exchanged. @returns undefined when the link is no longer valid */
export async function issueHeldCode(
  db: Transaction,
  token: EmailToken,
  redirectTo: string,
): Promise<string | undefined> {
  const { id: oneTimeTokenId, challenge } = token
  const user = await findUser(db, token.user_id)
  if (challenge === null || user?.email !== token.email) return undefined
  if (user.is_banned) throw authErrors.userBanned(403)
  const flow = await insertFlow(db, { provider: 'email', redirectTo, challenge, oneTimeTokenId })
  return issueAuthCode(db, flow, user.id, emailMethods[token.kind])
}

/**
 * The code of a held link came back with the verifier: now the link is consumed, with all its effects.
 *
 * @returns undefined when the link was consumed or voided in the meantime
 */
export async function redeemHeld(
  db: Transaction,
  tokenId: string,
): Promise<EmailSignIn<undefined> | undefined> {
  const token = await findById(db, tokenId)
  const redeemed = token && (await redeemToken(db, token, async () => undefined))
  return redeemed?.kind === 'signed in' ? redeemed : undefined
}
