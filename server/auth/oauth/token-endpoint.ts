import { parseScopes } from '#domain/access/oauth-scopes.ts'
import { doorsAudience, mcpAudience } from '../../tokens/audiences.ts'
import { TokenError } from '../../tokens/tokens.ts'
import { type AuthCall, transaction } from '../call.ts'
import { oauthErrors } from '../errors.ts'
import { answersChallenge, type IssuedCode, lockCode, spendCode } from '../flow-states.ts'
import { recordEvent } from '../record-event.ts'
import { decodeRefreshToken, isGenuine } from '../refresh-token.ts'
import { redeemRefreshToken } from '../refresh.ts'
import { endSessions, insertSession, lockSession } from '../sessions.ts'
import { findLockedUser } from '../users.ts'
import { tokenResponse } from './app-tokens.ts'
import type { AppAuthorization } from './authorize.ts'
import { authenticateClient, readForm } from './client-auth.ts'
import type { Client } from './clients.ts'
import { checkSameResource } from './resources.ts'
import { ifError } from '../../primitives/caught-error.ts'
import { orThrow } from '../../primitives/or-throw.ts'

type Form = ReadonlyMap<string, string>
type Grant = (call: AuthCall, client: Client, form: Form) => Promise<Response>

const grants = new Map<string, Grant>([
  ['authorization_code', exchangeAuthorizationCode],
  ['refresh_token', refreshApp],
])

/** POST /oauth/token: dispatches on the grant_type of the form. */
export async function issueAppToken(call: AuthCall): Promise<Response> {
  const form = await readForm(call)
  const name = orThrow(form.get('grant_type'), () =>
    oauthErrors.invalidRequest('grant_type is required'),
  )
  const client = await authenticateClient(call, form)
  const grant = orThrow(grants.get(name), oauthErrors.unsupportedGrantType)
  if (!client.grant_types.includes(name)) throw oauthErrors.unauthorizedClient()
  return grant(call, client, form)
}

/** grant_type=authorization_code: the code and the PKCE verifier for a session of the app. */
async function exchangeAuthorizationCode(
  call: AuthCall,
  client: Client,
  form: Form,
): Promise<Response> {
  const code = form.get('code')
  const verifier = form.get('code_verifier')
  if (!code || !verifier) throw oauthErrors.invalidRequest('code and code_verifier are required')

  // The outcome is a value and not an error, because ending a session must be committed.
  const outcome = await transaction(call, async (db) => {
    const issued = await lockCode<AppAuthorization>(db, 'oauth_authorizations', code)
    if (!issued || issued.client_id !== client.id) return undefined
    if (issued.exchanged_at) {
      if (issued.session_id !== null)
        await endSessions(db, { user: issued.user_id, only: issued.session_id })
      return { reusedBy: issued.user_id }
    }
    if (!isInOrder(issued, verifier, form.get('redirect_uri'))) return undefined
    checkSameResource(form.get('resource'), issued, call.deps.config.publicUrl)
    const user = await findLockedUser(db, issued.user_id)
    if (user.is_banned) return undefined
    const { scope, resource, account_id } = issued
    const app = { oauth_client_id: client.id, scope, resource, account_id }
    const method = 'oauth_provider/authorization_code'
    const session = await insertSession(db, call, user.id, method, app)
    await spendCode(db, 'oauth_authorizations', issued, session)
    return { issued, user, session }
  })
  if (outcome?.reusedBy !== undefined) {
    const facts = { user_id: outcome.reusedBy, client_id: client.id }
    recordEvent(call, 'authorization code reused, session ended', facts)
  }
  if (!outcome?.session)
    throw oauthErrors.invalidGrant('The code is not valid, or not for this app')
  const { issued, user, session } = outcome
  const facts = { user_id: user.id, session_id: session.id, client_id: client.id }
  recordEvent(call, 'app signed in', facts)
  return tokenResponse(call, { client, session, user, scope: issued.scope, signIn: issued })
}

function isInOrder(
  issued: IssuedCode & Pick<AppAuthorization, 'redirect_uri'>,
  verifier: string,
  redirectUri: string | undefined,
): boolean {
  // Optional since OAuth 2.1; when it is sent it must be the same.
  if (redirectUri !== undefined && redirectUri !== issued.redirect_uri) return false
  if (issued.is_expired || !/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false
  return answersChallenge(issued, verifier)
}

/** grant_type=refresh_token: the next tokens for the app that holds the last, never with more scope. */
async function refreshApp(call: AuthCall, client: Client, form: Form): Promise<Response> {
  const given = orThrow(form.get('refresh_token'), () =>
    oauthErrors.invalidRequest('refresh_token is required'),
  )
  const token = orThrow(decodeRefreshToken(given), oauthErrors.refreshTokenInvalid)
  const wanted = form.get('scope')
  const outcome = await redeemRefreshToken(call, token, {
    clientId: client.id,
    scope: wanted,
    resource: form.get('resource'),
  })
  if (outcome.kind === 'too much')
    throw oauthErrors.invalidScope('The app was not allowed all of this scope')
  if (outcome.kind !== 'current') throw oauthErrors.refreshTokenInvalid()
  const { session, user } = outcome
  const scope = wanted === undefined ? (session.scope ?? '') : parseScopes(wanted).known.join(' ')
  return tokenResponse(call, { client, session, user, scope })
}

/**
 * POST /oauth/revoke (RFC 7009): ends the session that an access or refresh token belongs to, if it is the app's own.
 * The answer is 200 for any token.
 */
export async function revokeToken(call: AuthCall): Promise<Response> {
  const form = await readForm(call)
  const client = await authenticateClient(call, form)
  const token = orThrow(form.get('token'), () => oauthErrors.invalidRequest('token is required'))
  const refresh = decodeRefreshToken(token)
  const sessionId = refresh?.sessionId ?? (await sessionOf(call, token))
  if (sessionId !== undefined) {
    const ended = await transaction(call, async (db) => {
      const session = await lockSession(db, sessionId)
      if (session?.oauth_client_id !== client.id) return undefined
      if (refresh && !isGenuine(refresh, session.refresh_key)) return undefined
      await endSessions(db, { user: session.user_id, only: session.id })
      return { user_id: session.user_id, session_id: session.id, client_id: client.id }
    })
    if (ended) recordEvent(call, 'app signed out', ended)
  }
  return new Response(null, { status: 200 })
}

async function sessionOf({ deps }: AuthCall, accessToken: string): Promise<string | undefined> {
  const identity = await deps.tokens
    .verify(accessToken, [doorsAudience, mcpAudience(deps.config)])
    .catch(ifError(TokenError, () => undefined))
  return identity?.role === 'authenticated' ? String(identity.claims['session_id']) : undefined
}
