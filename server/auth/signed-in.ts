import type { OAuthScope } from '#domain/oauth-scopes.ts'
import { appScopes } from '../tokens/app-scopes.ts'
import { TokenError } from '../tokens/tokens.ts'
import { type AuthCall, transaction } from './call.ts'
import { authErrors } from './errors.ts'
import { requireAal2IfEnrolled } from './factors/aal.ts'
import { bearerToken } from './guards.ts'
import type { Session } from './sessions.ts'
import { findUser, type User } from './users.ts'

interface Bearer {
  user: User
  /** What the app that holds the session may do; undefined for the person's own session. */
  scopes: ReadonlySet<OAuthScope> | undefined
  session: Pick<Session, 'id' | 'aal' | 'amr' | 'created_at'>
}

/** A call whose bearer token was genuine, with a session and an account that were alive a moment ago. */
export type SignedInCall = AuthCall & Bearer

/**
 * For a person: bearer token genuine, account and session still there, account not banned. All of it is read on each
 * request, so that a sign-out works at once and not when the token expires.
 */
export async function signedIn(call: AuthCall): Promise<Bearer> {
  const bearer = await signedInOrApp(call)
  if (bearer.scopes) throw authErrors.insufficientScope()
  return bearer
}

/** Like {@link signedIn}, and also for an app that acts for the person: its token has a client_id. */
export async function signedInOrApp(call: AuthCall): Promise<Bearer> {
  const { userId, sessionId, scopes, isFirstFactorOnly } = await readBearer(call)
  const found = await transaction(call, async (db) => {
    const user = await findUser(db, userId)
    const sessions = await db.query<Bearer['session']>(
      `select id, aal, amr, created_at from auth.sessions
        where id = $1 and user_id = $2 and auth.session_is_live(id, user_id)`,
      [sessionId, userId],
    )
    return { user, session: sessions.rows[0] }
  })
  if (!found.user) throw authErrors.userNotFound()
  if (found.user.is_banned) throw authErrors.userBanned(403)
  if (!found.session) throw authErrors.sessionNotFound()
  // A token from before the second factor stays at aal1, although its session is at aal2 by now.
  const session = isFirstFactorOnly ? { ...found.session, aal: 'aal1' as const } : found.session
  return { user: found.user, scopes, session }
}

/** Refuses a session of a person who has a second factor and has not shown it. @throws {AuthError} 403 insufficient_aal */
export function bothFactors(call: SignedInCall): void {
  requireAal2IfEnrolled(call)
}

async function readBearer({
  request,
  deps,
}: AuthCall): Promise<
  Pick<Bearer, 'scopes'> & { userId: string; sessionId: string; isFirstFactorOnly: boolean }
> {
  const token = bearerToken(request)
  if (token === undefined) throw authErrors.noAuthorization()
  try {
    const { role, claims } = await deps.tokens.verify(token)
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
