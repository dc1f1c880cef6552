import { TokenError } from '../../tokens/tokens.ts'
import { type AuthCall, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { decodeRefreshToken, isGenuine } from '../refresh-token.ts'
import { endSessions, lockSession } from '../sessions.ts'
import { authenticateClient } from './client-auth.ts'
import { readForm } from './form.ts'
import { oauthErrors } from './oauth-errors.ts'

/**
 * POST /oauth/revoke (RFC 7009): ends the session that an access or refresh token belongs to, if it is the app's own.
 * The answer is 200 whatever the token was.
 */
export async function revokeToken(call: AuthCall): Promise<Response> {
  const form = await readForm(call)
  const client = await authenticateClient(call, form)
  const token = form.get('token')
  if (!token) throw oauthErrors.invalidRequest('token is required')
  const named = await readToken(call, token)
  if (named) {
    const ended = await transaction(call, async (db) => {
      const session = await lockSession(db, named.sessionId)
      if (session?.oauth_client_id !== client.id || !named.isGood(session.refresh_key))
        return undefined
      await endSessions(db, { user: session.user_id, only: session.id })
      return { user_id: session.user_id, session_id: session.id, client_id: client.id }
    })
    if (ended) recordEvent(call, 'app signed out', ended)
  }
  return new Response(null, { status: 200, headers: { 'Cache-Control': 'no-store' } })
}

interface NamedSession {
  sessionId: string
  /** Whether the token is of the session with this key; an access token was checked when it was read. */
  isGood(key: Buffer): boolean
}

async function readToken({ deps }: AuthCall, token: string): Promise<NamedSession | undefined> {
  const refresh = decodeRefreshToken(token)
  if (refresh) return { sessionId: refresh.sessionId, isGood: (key) => isGenuine(refresh, key) }
  try {
    const { role, claims } = await deps.tokens.verify(token)
    if (role !== 'authenticated') return undefined
    return { sessionId: String(claims['session_id']), isGood: () => true }
  } catch (error) {
    if (error instanceof TokenError) return undefined
    throw error
  }
}
