import type { Transaction } from '../../postgres/database.ts'
import { authErrors } from '../errors.ts'
import { insertFlow, issueAuthCode } from '../flow-states.ts'
import { findUser, type User } from '../users.ts'
import { findById, type EmailToken } from './one-time-tokens.ts'
import { emailMethods, redeemToken, type EmailSignIn } from './redeem.ts'

// A link that one browser requested with PKCE may be opened in another, on the phone that shows the email. That must not
// void the link, or the code in the email, for the browser that waits (docs/decisions/0063-a-link-waits-for-its-browser.md).

/** Whether this link stays valid until its code comes back with the verifier. */
export function isHeldLink({ kind, code_challenge: challenge }: EmailToken): boolean {
  return challenge !== null && (kind === 'recovery' || kind === 'magiclink')
}

/** Issues a code that consumes the link when it is exchanged. @returns undefined when the link is no longer valid */
export async function issueHeldCode(
  db: Transaction,
  token: EmailToken,
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
): Promise<EmailSignIn<User> | undefined> {
  const token = await findById(db, tokenId)
  const redeemed = token && (await redeemToken(db, token, async (user) => user))
  return redeemed?.kind === 'signed in' ? redeemed : undefined
}
