import { sha256 } from '../../primitives/sha256.ts'
import { parseScopes } from '#domain/oauth-scopes.ts'
import { type AuthCall, transaction } from '../call.ts'
import { type Session, sessionTokens } from '../sessions.ts'
import type { User } from '../users.ts'
import { emailClaims } from './person-claims.ts'

/** Seconds that an id_token is good for: it says who signed in, once. */
const idTokenLifetime = 600

interface Granted {
  /** The session that the app holds; its scope is what the answer is for. */
  session: Session & { oauth_client_id: string; scope: string }
  user: User
  /** For the id_token of a code; a refresh gives none. */
  signIn?: { nonce: string | null; authTime: Date | null }
}

/** The answer of the token endpoint (RFC 6749 5.1, OpenID Connect Core 3.1.3.3). */
export async function tokenResponse(
  call: AuthCall,
  { session, user, signIn }: Granted,
): Promise<Response> {
  const scopes = new Set(parseScopes(session.scope).known)
  const tokens = await sessionTokens(call, session, user)
  const body = {
    access_token: tokens.access_token,
    token_type: 'bearer',
    expires_in: tokens.expires_in,
    scope: session.scope,
    ...(scopes.has('offline_access') && { refresh_token: tokens.refresh_token }),
    ...(scopes.has('openid') &&
      signIn && { id_token: await idToken(call, { session, user, signIn }, tokens.access_token) }),
  }
  return Response.json(body, { headers: { 'Cache-Control': 'no-store', Pragma: 'no-cache' } })
}

/** It has no role and another audience: no door here takes it for an access token. */
async function idToken(
  call: AuthCall,
  { session, user, signIn }: Granted & Required<Pick<Granted, 'signIn'>>,
  accessToken: string,
): Promise<string> {
  const scopes = new Set(parseScopes(session.scope).known)
  const email = await transaction(call, (db) => emailClaims(db, user, scopes))
  return call.deps.tokens.sign(
    {
      sub: user.id,
      aud: session.oauth_client_id,
      ...(signIn.authTime && { auth_time: Math.floor(signIn.authTime.getTime() / 1000) }),
      ...(signIn.nonce !== null && { nonce: signIn.nonce }),
      at_hash: sha256(accessToken).subarray(0, 16).toString('base64url'),
      ...email,
    },
    idTokenLifetime,
  )
}
