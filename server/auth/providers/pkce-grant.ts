import { sha256 } from '../../primitives/sha256.ts'
import { constantTimeEqual } from '../../primitives/constant-time.ts'
import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import {
  type Challenge,
  type IssuedCode,
  lockCode,
  markExchanged,
  peekAtCode,
  setCodeAside,
} from '../flow-states.ts'
import { redeemHeld } from '../email-flows/held-links.ts'
import { type EmailSignIn, recordEffects } from '../email-flows/redeem.ts'
import { endSessions, insertSession, type Session, sessionResponse } from '../sessions.ts'
import { findUser, lockUser, type User } from '../users.ts'

const body = z.object({ auth_code: z.string().nullish(), code_verifier: z.string().nullish() })

type ExchangeOutcome =
  | { kind: 'session'; user: User; session: Session; by: EmailSignIn<User> | undefined }
  | { kind: 'used'; userId: string; sessionId: string | null }

/** POST /token?grant_type=pkce: exchanges the code of a redirect, with the verifier that only its client has, for a session. */
export async function exchangeCode(call: AuthCall): Promise<Response> {
  const { auth_code: code, code_verifier: verifier } = await readBody(call, body)
  if (!code || !verifier)
    throw authErrors.invalid(
      'invalid request: both auth code and code verifier should be non-empty',
    )
  const outcome = await redeemCode(call, code, verifier)
  if (outcome.kind === 'used') {
    recordEvent(call, 'sign-in code used twice, session ended', {
      user_id: outcome.userId,
      ...(outcome.sessionId !== null && { session_id: outcome.sessionId }),
    })
    throw authErrors.codeUnknown()
  }
  const { user, session, by } = outcome
  if (by) recordEffects(call, by)
  recordEvent(call, 'sign-in', { user_id: user.id, session_id: session.id, by: by?.token.kind })
  return sessionResponse(call, session, user)
}

/** The outcome is a value and not an error, because ending a session must be committed. */
function redeemCode(call: AuthCall, code: string, verifier: string): Promise<ExchangeOutcome> {
  return transaction(call, async (db) => {
    // The account is locked before the code, in the order of a password change.
    const holder = await peekAtCode(db, code)
    if (holder) await lockUser(db, holder.user_id)
    const issued = await lockCode(db, code)
    if (!issued) throw authErrors.codeUnknown()
    if (issued.is_exchanged) {
      // Two parties have the code, and nobody can tell which one is honest (RFC 6749 4.1.2).
      if (issued.session_id !== null)
        await endSessions(db, { user: issued.user_id, only: issued.session_id })
      return { kind: 'used', userId: issued.user_id, sessionId: issued.session_id }
    }
    if (issued.is_expired) throw authErrors.codeExpired()
    if (!answersChallenge(issued, verifier)) throw authErrors.badVerifier()
    const by = await redeemLink(db, issued)
    const user = by?.user ?? (await findUser(db, issued.user_id))
    if (!user) throw authErrors.userNotFound()
    if (user.is_banned) throw authErrors.userBanned(400)
    const session = await insertSession(db, call, user.id, issued.authentication_method)
    await markExchanged(db, issued, session.id)
    return { kind: 'session', user, session, by }
  })
}

/** @throws {AuthError} when the email was used in the meantime, or its link is void */
async function redeemLink(
  db: Transaction,
  issued: IssuedCode,
): Promise<EmailSignIn<User> | undefined> {
  if (issued.one_time_token_id === null) return undefined
  await setCodeAside(db, issued)
  const redeemed = await redeemHeld(db, issued.one_time_token_id)
  if (!redeemed) throw authErrors.codeUnknown()
  return redeemed
}

function answersChallenge(
  issued: Pick<IssuedCode, 'code_challenge' | 'code_challenge_method'>,
  verifier: string,
): boolean {
  const answer = challengeOf[issued.code_challenge_method](verifier)
  return constantTimeEqual(answer, issued.code_challenge)
}

const challengeOf: Record<Challenge['method'], (verifier: string) => string> = {
  s256: (verifier) => sha256(verifier).toString('base64url'),
  plain: (verifier) => verifier,
}
