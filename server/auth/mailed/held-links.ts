import type { Transaction } from '../../postgres/database.ts'
import { authErrors } from '../errors.ts'
import { insertFlow, issueAuthCode } from '../flow-states.ts'
import { findUser, type User } from '../users.ts'
import { lockAccount } from './accounts.ts'
import { findById, type MailedToken } from './one-time-tokens.ts'
import { mailedMethods, redeem, type SignedIn } from './redeem.ts'

// A link that a browser asked for with PKCE may be pressed in another one, on the phone that shows the mail. That must not
// spoil it, nor the code of the mail, for the browser that waits (docs/decisions/0063-a-link-waits-for-its-browser.md).

/** Whether pressing this link leaves it good until its code comes back with the verifier. */
export function isHeld({ kind, code_challenge: challenge }: MailedToken): boolean {
  return challenge !== null && (kind === 'recovery' || kind === 'magiclink')
}

/** A code that has the link behind it. @returns undefined when the link is good for nothing any more */
export async function issueHeldCode(
  db: Transaction,
  token: MailedToken,
  redirectTo: string,
): Promise<string | undefined> {
  const { code_challenge: challenge, code_challenge_method: method } = token
  const user = await findUser(db, token.user_id)
  if (challenge === null || method === null || user?.email !== token.email) return undefined
  if (user.is_banned) throw authErrors.userBanned(403)
  const flow = await insertFlow(db, {
    provider: 'email',
    redirectTo,
    challenge: { challenge, method },
    oneTimeTokenId: token.id,
  })
  return issueAuthCode(db, flow, user.id, mailedMethods[token.kind])
}

/** Before the code itself is locked: whoever else holds both takes the account first. */
export async function lockHolder(
  db: Transaction,
  code: { user_id: string; one_time_token_id: string | null } | undefined,
): Promise<void> {
  if (code && code.one_time_token_id !== null) await lockAccount(db, code.user_id)
}

/**
 * The code of a held link came back with the verifier: now the link is used up, with all that it does.
 *
 * @returns undefined when something else has taken the link
 */
export async function redeemHeld(
  db: Transaction,
  tokenId: string,
): Promise<SignedIn<User> | undefined> {
  const token = await findById(db, tokenId)
  const redeemed = token && (await redeem(db, token, async (user) => user))
  return redeemed?.kind === 'signed in' ? redeemed : undefined
}
