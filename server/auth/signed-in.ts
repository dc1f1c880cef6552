import { TokenError } from '../tokens/tokens.ts'
import type { AuthCall, Handler, SignedInCall } from './call.ts'
import { transaction } from './call.ts'
import { authErrors } from './errors.ts'
import type { Session } from './sessions.ts'
import { findUser } from './users.ts'

/**
 * Lets a handler run only for a person: bearer token genuine, account and session still there, account not banned.
 * All of it is looked up on each call, so that a sign-out works at once and not when the token expires.
 */
export function signedIn(handler: (call: SignedInCall) => Promise<Response>): Handler {
  return async (call) => {
    const { userId, sessionId } = await bearer(call)
    const found = await transaction(call, async (db) => {
      const user = await findUser(db, userId)
      const sessions = await db.query<Pick<Session, 'id' | 'aal'>>(
        'select id, aal from auth.sessions where id = $1 and user_id = $2',
        [sessionId, userId],
      )
      return { user, session: sessions.rows[0] }
    })
    if (!found.user) throw authErrors.userNotFound()
    if (!found.session) throw authErrors.sessionNotFound()
    if (found.user.is_banned) throw authErrors.userBanned(403)
    return handler({ ...call, user: found.user, session: found.session })
  }
}

async function bearer({
  request,
  context,
}: AuthCall): Promise<{ userId: string; sessionId: string }> {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (token === undefined) throw authErrors.noAuthorization()
  try {
    const { role, claims } = await context.tokens.verify(token)
    if (role !== 'authenticated') throw authErrors.badToken('missing sub claim')
    return { userId: claims.sub, sessionId: String(claims['session_id']) }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw authErrors.badToken(`unable to parse or verify signature, ${error.message}`)
  }
}
