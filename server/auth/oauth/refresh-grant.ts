import { parseScopes } from '#domain/oauth-scopes.ts'
import { type AuthCall } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { decodeRefreshToken } from '../refresh-token.ts'
import { redeemRefreshToken } from '../refresh.ts'
import { tokenResponse } from './app-tokens.ts'
import type { Client } from './clients.ts'
import { oauthErrors } from './oauth-errors.ts'

/** grant_type=refresh_token: the next tokens for the app that holds the last, never with more scope. */
export async function refreshApp(
  call: AuthCall,
  client: Client,
  form: ReadonlyMap<string, string>,
): Promise<Response> {
  const given = form.get('refresh_token')
  if (!given) throw oauthErrors.invalidRequest('refresh_token is required')
  const token = decodeRefreshToken(given)
  if (!token) throw badToken()
  const wanted = form.get('scope')
  const outcome = await redeemRefreshToken(call, token, {
    clientId: client.id,
    ...(wanted && { scope: wanted }),
  })
  switch (outcome.kind) {
    case 'current': {
      const { session, user } = outcome
      const scope =
        wanted === undefined ? (session.scope ?? '') : parseScopes(wanted).known.join(' ')
      return tokenResponse(call, {
        session: { ...session, oauth_client_id: client.id, scope },
        user,
      })
    }
    case 'reused':
      recordEvent(call, 'refresh token reused, session ended', {
        user_id: outcome.user,
        session_id: outcome.session,
        client_id: client.id,
      })
      throw badToken()
    case 'too often':
      throw authErrors.tooManyRequests(outcome.wait)
    case 'too much':
      throw oauthErrors.invalidScope('The app was not allowed all of this scope')
    case 'banned':
    case 'unknown':
      throw badToken()
  }
}

function badToken() {
  return oauthErrors.invalidGrant('The refresh token is not valid, or not for this app')
}
