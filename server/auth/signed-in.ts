import { appScopes } from '../tokens/app-scopes.ts'
import { TokenError } from '../tokens/tokens.ts'
import type { AuthCall, Handler, SignedInCall } from './call.ts'
import { transaction } from './call.ts'
import { authErrors } from './errors.ts'
import { findUser } from './users.ts'

/**
 * Lets a handler run only for a person: bearer token genuine, account and session still there, account not banned.
 * All of it is looked up on each call, so that a sign-out works at once and not when the token expires.
 */
export function signedIn(
  handler: (call: SignedInCall) => Promise<Response>,
  /** `apps`: also for an app that acts for the person (its token has a client_id); an account is changed by its owner only. */
  allow: { apps?: true } = {},
): Handler {
  return async (call) => {
    const { userId, sessionId, scopes, isFirstFactorOnly } = await bearer(call)
    if (scopes && !allow.apps) throw authErrors.insufficientScope()
    const found = await transaction(call, async (db) => {
      const user = await findUser(db, userId)
      const sessions = await db.query<SignedInCall['session']>(
        `select id, aal, amr, created_at from auth.sessions
          where id = $1 and user_id = $2 and auth.session_is_live(id, user_id)`,
        [sessionId, userId],
      )
      return { user, session: sessions.rows[0] }
    })
    if (!found.user) throw authErrors.userNotFound()
    if (found.user.is_banned) throw authErrors.userBanned(403)
    if (!found.session) throw authErrors.sessionNotFound()
    // A token from before the second factor was given stays what it was, though its session has risen.
    const session = isFirstFactorOnly ? { ...found.session, aal: 'aal1' as const } : found.session
    return handler({ ...call, user: found.user, scopes, session })
  }
}

async function bearer({
  request,
  context,
}: AuthCall): Promise<
  Pick<SignedInCall, 'scopes'> & { userId: string; sessionId: string; isFirstFactorOnly: boolean }
> {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1]
  if (token === undefined) throw authErrors.noAuthorization()
  try {
    const { role, claims } = await context.tokens.verify(token)
    if (role !== 'authenticated') throw authErrors.badToken('missing sub claim')
    return {
      userId: claims.sub,
      sessionId: String(claims['session_id']),
      scopes: appScopes(claims),
      isFirstFactorOnly: claims['aal'] === 'aal1',
    }
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw authErrors.badToken(`unable to parse or verify signature, ${error.message}`)
  }
}
