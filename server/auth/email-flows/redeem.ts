import type { Transaction } from '../../postgres/database.ts'
import type { AuthCall } from '../call.ts'
import { insertFlow, issueAuthCode } from '../flow-states.ts'
import { refuseBanned } from '../guards.ts'
import { refreshProviders } from '../providers/identities.ts'
import { recordEvent } from '../record-event.ts'
import type { AuthenticationMethod } from '../sessions.ts'
import {
  clearUnverifiedAccount,
  findLockedUser,
  findUser,
  lockAccount,
  type LockedAccount,
  markEmailProven,
  putEmailIdentity,
  type User,
} from '../users.ts'
import { agreeToEmailChange } from './email-change.ts'
import { consumeToken, type EmailToken, type EmailTokenKind } from './one-time-tokens.ts'

/** An emailed link or code that came back and was valid; it is consumed. */
export interface RedeemedToken {
  token: EmailToken
  /** Undefined for a change of address that the other address has yet to confirm: no one signs in by it. */
  user: User | undefined
  tookOver: boolean
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
  operator: 'magiclink',
}

/**
 * Consumes a token and carries out its purpose.
 *
 * @returns undefined when the token is not, or no longer, valid
 */
export async function redeemToken(
  db: Transaction,
  token: EmailToken,
): Promise<RedeemedToken | undefined> {
  const account = await lockAccount(db, token.user_id)
  if (!account || !(await consumeToken(db, token))) return undefined
  const effect = await carryOut(db, account, token)
  if (effect === 'void') return undefined
  if (effect === 'half') return { token, user: undefined, tookOver: false }
  await db.query('update auth.users set last_sign_in_at = now() where id = $1', [account.id])
  const user = await findLockedUser(db, account.id)
  refuseBanned(user)
  return { token, user, tookOver: effect === 'taken over' }
}

/** Records the effects of a token besides the sign-in. */
export function recordEffects(call: AuthCall, { token, tookOver }: RedeemedToken): void {
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
  // The operator's word is about the person, and not about the mailbox.
  if (kind === 'operator') return 'done'
  const { id } = account
  const takesOver = !account.is_email_proven && !isItsOwn(kind, account)
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
 * may have signed up with, to wait for its owner: then the stranger's data is removed.
 */
function isItsOwn(kind: EmailTokenKind, account: LockedAccount): boolean {
  if (kind === 'confirmation') return true
  return kind === 'invite' && account.invited_at !== null && account.encrypted_password === null
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
  const user = await findUser(db, token.user_id)
  if (user?.email !== token.email) return undefined
  refuseBanned(user)
  const flow = await insertFlow(db, {
    provider: 'email',
    redirect_to: redirectTo,
    ...token.challenge,
    one_time_token_id: token.id,
  })
  return issueAuthCode(db, flow, user.id, emailMethods[token.kind])
}
