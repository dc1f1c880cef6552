import type { OAuthScope } from '#domain/oauth-scopes.ts'
import type { AuthCall, Handler, SignedInCall } from '../call.ts'
import { transaction } from '../call.ts'
import { AuthError } from '../auth-error.ts'
import { signedIn } from '../signed-in.ts'
import { oauthErrors } from './oauth-errors.ts'
import { emailClaims } from './person-claims.ts'

/** GET and POST /oauth/userinfo (OpenID Connect Core 5.3): who the app acts for, as far as it may know. */
export const getUserInfo: Handler = asResource(
  signedIn(
    async (call) => {
      const { user, scopes } = call
      if (!scopes?.has('openid')) throw oauthErrors.insufficientScope('openid')
      const email = await transaction(call, (db) => emailClaims(db, user, scopes))
      return Response.json(
        { sub: user.id, ...(await profileClaims(call, scopes)), ...email },
        { headers: { 'Cache-Control': 'no-store' } },
      )
    },
    { apps: true },
  ),
)

/** The name that people see is in the profile, which is read as the person. */
async function profileClaims(
  { context, user, session }: SignedInCall,
  scopes: ReadonlySet<OAuthScope>,
): Promise<Record<string, unknown>> {
  if (!scopes.has('profile')) return {}
  const claims = { sub: user.id, session_id: session.id }
  const { rows } = await context.database.transactionAs(
    { role: 'authenticated', claims, readOnly: true },
    (db) =>
      db.query<{ display_name: string | null }>(
        'select display_name from api.profiles where id = $1',
        [user.id],
      ),
  )
  const name = rows[0]?.display_name
  return { ...(name && { name }), updated_at: Math.floor(user.updated_at.getTime() / 1000) }
}

/** Words the door's refusals of a token as a resource does (RFC 6750 3.1): 401, and why in the header. */
function asResource(handler: Handler): Handler {
  return async (call: AuthCall) => {
    try {
      return await handler(call)
    } catch (error) {
      const isRefusal = error instanceof AuthError && refusals.has(error.code)
      throw isRefusal ? oauthErrors.invalidToken(error.message) : error
    }
  }
}

const refusals = new Set([
  'no_authorization',
  'bad_jwt',
  'session_not_found',
  'user_not_found',
  'user_banned',
])
