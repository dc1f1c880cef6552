import { type OAuthScope, parseScopes } from '#domain/access/oauth-scopes.ts'
import type { GuardFacts } from '../../http/router.ts'
import { valueAs } from '../../postgres/rows.ts'
import { sha256 } from '../../primitives/sha256.ts'
import type { AuthCall } from '../call.ts'
import { AuthError, oauthErrors } from '../errors.ts'
import { type SignedInCall, signedInOrApp } from '../guards.ts'
import { type Session, sessionTokens } from '../sessions.ts'
import type { User } from '../users.ts'
import type { AppAuthorization } from './authorize.ts'
import type { Client } from './clients.ts'
import { replaceError } from '../../primitives/caught-error.ts'

/** Seconds that an id_token is good for: it proves one sign-in. */
const idTokenLifetime = 600

interface Granted {
  client: Pick<Client, 'id' | 'document_url'>
  session: Session
  user: User
  scope: string
  /** For the id_token of a code; a refresh gives none. */
  signIn?: Pick<AppAuthorization, 'nonce' | 'auth_time'>
}

/** The answer of the token endpoint (RFC 6749 5.1, OpenID Connect Core 3.1.3.3). */
export async function tokenResponse(call: AuthCall, granted: Granted): Promise<Response> {
  const { session, user, scope } = granted
  const scopes = new Set(parseScopes(scope).known)
  const tokens = await sessionTokens(call, { ...session, scope }, user)
  const body = {
    access_token: tokens.access_token,
    token_type: 'bearer',
    expires_in: tokens.expires_in,
    scope,
    refresh_token: scopes.has('offline_access') ? tokens.refresh_token : undefined,
    id_token: scopes.has('openid')
      ? await idToken(call, granted, scopes, tokens.access_token)
      : undefined,
  }
  return Response.json(body, { headers: { Pragma: 'no-cache' } })
}

/** It has no role and another audience: no door here takes it for an access token. */
async function idToken(
  call: AuthCall,
  { client, user, signIn }: Granted,
  scopes: ReadonlySet<OAuthScope>,
  accessToken: string,
): Promise<string | undefined> {
  if (!signIn) return undefined
  return call.deps.tokens.sign(
    {
      sub: user.id,
      aud: client.document_url ?? client.id,
      ...(signIn.auth_time && { auth_time: Math.floor(signIn.auth_time.getTime() / 1000) }),
      ...(signIn.nonce !== null && { nonce: signIn.nonce }),
      at_hash: sha256(accessToken).subarray(0, 16).toString('base64url'),
      ...emailClaims(user, scopes),
    },
    idTokenLifetime,
  )
}

/** GET and POST /oauth/userinfo (OpenID Connect Core 5.3): the person of the app, as far as its scopes allow. */
export async function getUserInfo(call: SignedInCall): Promise<Response> {
  const { user, scopes } = call
  if (!scopes?.has('openid')) throw oauthErrors.insufficientScope('openid')
  const profile = await profileClaims(call, scopes)
  return Response.json({ sub: user.id, ...profile, ...emailClaims(user, scopes) })
}

/** Like signedInOrApp, with the refusals of a protected resource (RFC 6750 3.1): 401, and the reason in the header. */
export function appBearer(call: AuthCall): ReturnType<typeof signedInOrApp> {
  return signedInOrApp(call).catch(
    replaceError(AuthError, (error) =>
      bearerRefusals.has(error.code) ? oauthErrors.invalidToken(error.message) : error,
    ),
  )
}
appBearer.facts = { caller: 'person' } satisfies GuardFacts

const bearerRefusals = new Set(
  'no_authorization bad_jwt session_not_found user_not_found user_banned'.split(' '),
)

/** The display name is in the profile, which is read with the person's own rights. */
async function profileClaims(
  { deps, user, session }: SignedInCall,
  scopes: ReadonlySet<OAuthScope>,
): Promise<Record<string, unknown>> {
  if (!scopes.has('profile')) return {}
  const claims = { sub: user.id, session_id: session.id }
  const name = await valueAs<string | null>(
    deps.database,
    { role: 'authenticated', claims, readOnly: true },
    'select display_name from api.profiles where id = $1',
    [user.id],
  )
  return { ...(name && { name }), updated_at: Math.floor(user.updated_at.getTime() / 1000) }
}

/**
 * The person's address for an app that may know it. It counts as verified only when a person has shown that email to it
 * reaches them: apps link accounts by this.
 */
function emailClaims(user: User, scopes: ReadonlySet<OAuthScope>): Record<string, unknown> {
  if (!scopes.has('email') || user.email === null) return {}
  return { email: user.email, email_verified: user.is_email_proven }
}
