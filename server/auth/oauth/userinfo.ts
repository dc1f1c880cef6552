import type { OAuthScope } from '#domain/oauth-scopes.ts'
import { AuthError } from '../auth-error.ts'
import { type AuthCall, transaction } from '../call.ts'
import { type SignedInCall, signedInOrApp } from '../signed-in.ts'
import { oauthErrors } from './oauth-errors.ts'
import { emailClaims } from './person-claims.ts'

/** GET and POST /oauth/userinfo (OpenID Connect Core 5.3): who the app acts for, as far as its scopes allow. */
export async function getUserInfo(call: SignedInCall): Promise<Response> {
  const { user, scopes } = call
  if (!scopes?.has('openid')) throw oauthErrors.insufficientScope('openid')
  const email = await transaction(call, (db) => emailClaims(db, user, scopes))
  return Response.json(
    { sub: user.id, ...(await profileClaims(call, scopes)), ...email },
    { headers: { 'Cache-Control': 'no-store' } },
  )
}

/** Like signedInOrApp, with the refusals of a protected resource (RFC 6750 3.1): 401, and the reason in the header. */
export async function appBearer(call: AuthCall): ReturnType<typeof signedInOrApp> {
  try {
    return await signedInOrApp(call)
  } catch (error) {
    const isRefusal = error instanceof AuthError && bearerRefusals.has(error.code)
    throw isRefusal ? oauthErrors.invalidToken(error.message) : error
  }
}

const bearerRefusals = new Set([
  'no_authorization',
  'bad_jwt',
  'session_not_found',
  'user_not_found',
  'user_banned',
])

/** The display name is in the profile, which is read with the person's own rights. */
async function profileClaims(
  { deps, user, session }: SignedInCall,
  scopes: ReadonlySet<OAuthScope>,
): Promise<Record<string, unknown>> {
  if (!scopes.has('profile')) return {}
  const claims = { sub: user.id, session_id: session.id }
  const { rows } = await deps.database.transactionAs(
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
