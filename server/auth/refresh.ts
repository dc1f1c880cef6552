import * as z from 'zod'
import { audit, type AuthCall, readBody, transaction } from './call.ts'
import { authErrors } from './errors.ts'
import { decodeRefreshToken, isGenuine, type RefreshToken } from './refresh-token.ts'
import { endSessions, lockSession, rotate, type Session, sessionResponse } from './sessions.ts'
import { findUser, type User } from './users.ts'

const body = z.object({ refresh_token: z.string().nullish() })

type Outcome =
  | { kind: 'current'; user: User; session: Session }
  | { kind: 'reused'; user: string; session: string }
  | { kind: 'unknown' }
  | { kind: 'banned' }

/** POST /token?grant_type=refresh_token: the next access token, and the family's next refresh token. */
export async function refreshSession(call: AuthCall): Promise<Response> {
  const input = await readBody(call, body)
  if (!input.refresh_token) throw authErrors.invalid('refresh_token is required')
  const token = decodeRefreshToken(input.refresh_token)
  if (!token) throw authErrors.refreshTokenNotFound()
  const outcome = await redeem(call, token)
  switch (outcome.kind) {
    case 'current':
      return sessionResponse(call, outcome.session, outcome.user)
    case 'reused':
      audit(call, 'refresh token reused, session ended', {
        user_id: outcome.user,
        session_id: outcome.session,
      })
      throw authErrors.refreshTokenUsed()
    case 'banned':
      throw authErrors.userBanned(400)
    case 'unknown':
      throw authErrors.refreshTokenNotFound()
  }
}

/** The outcome is a value and not an error, because ending a session must be committed and not rolled back. */
function redeem(call: AuthCall, token: RefreshToken): Promise<Outcome> {
  return transaction(call, async (db) => {
    const session = await lockSession(db, token.sessionId)
    if (!session || !isGenuine(token, session.refresh_key)) return { kind: 'unknown' }
    const user = await findUser(db, session.user_id)
    if (!user) return { kind: 'unknown' }
    if (user.is_banned) return { kind: 'banned' }
    switch (judge(token.counter, BigInt(session.refresh_counter))) {
      case 'rotate':
        return { kind: 'current', user, session: await rotate(db, session) }
      case 'repeat':
        return { kind: 'current', user, session }
      case 'reuse':
        await endSessions(db, { user: user.id, only: session.id })
        return { kind: 'reused', user: user.id, session: session.id }
      case 'never':
        return { kind: 'unknown' }
    }
  })
}

/**
 * What a genuine token of this counter means. One behind is a tab that refreshed at the same moment, or a client that
 * lost the answer: it gets the current token again. Two or more behind is a copy that somebody kept: the family ends.
 *
 * GoTrue also forgives older tokens for 10 s after a rotation. Not here: honest tabs are never two behind, and a
 * replayed token should end the session at once.
 */
function judge(presented: bigint, current: bigint): 'rotate' | 'repeat' | 'reuse' | 'never' {
  if (presented === current) return 'rotate'
  if (presented > current) return 'never'
  return presented === current - 1n ? 'repeat' : 'reuse'
}
