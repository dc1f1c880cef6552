import { sha256 } from '../../primitives/sha256.ts'
import { constantTimeEqual } from '../../primitives/constant-time.ts'
import { type AuthCall, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { endSessions, insertSession } from '../sessions.ts'
import { findUser, lockUser } from '../users.ts'
import { tokenResponse } from './app-tokens.ts'
import { checkResource } from './authorize.ts'
import { type AppCode, lockAppCode, peekAtAppCode, markCodeExchanged } from './authorizations.ts'
import type { Client } from './clients.ts'
import { oauthErrors } from './oauth-errors.ts'

/** grant_type=authorization_code: the code and the PKCE verifier for a session of the app. */
export async function exchangeAuthorizationCode(
  call: AuthCall,
  client: Client,
  form: ReadonlyMap<string, string>,
): Promise<Response> {
  const code = form.get('code')
  const verifier = form.get('code_verifier')
  if (!code || !verifier) throw oauthErrors.invalidRequest('code and code_verifier are required')
  const resource = form.get('resource')
  if (resource !== undefined) checkResource(resource, call.deps.config.publicUrl)

  // The outcome is a value and not an error, because ending a session must be committed.
  const outcome = await transaction(call, async (db) => {
    // The account is locked before the code, in the order of a password change.
    const holder = await peekAtAppCode(db, code)
    if (holder) await lockUser(db, holder.user_id)
    const issued = await lockAppCode(db, code)
    if (!issued || issued.client_id !== client.id) return unknown
    if (issued.is_exchanged) {
      if (issued.session_id !== null)
        await endSessions(db, { user: issued.user_id, only: issued.session_id })
      return { kind: 'reused', user: issued.user_id } as const
    }
    if (!isInOrder(issued, verifier, form.get('redirect_uri'))) return unknown
    const user = await findUser(db, issued.user_id)
    if (!user || user.is_banned) return unknown
    const app = { clientId: client.id, scope: issued.scope }
    const method = 'oauth_provider/authorization_code'
    const session = await insertSession(db, call, user.id, method, app)
    await markCodeExchanged(db, issued.id, session.id)
    return { kind: 'exchanged', issued, user, session } as const
  })
  if (outcome.kind === 'reused') {
    recordEvent(call, 'authorization code reused, session ended', {
      user_id: outcome.user,
      client_id: client.id,
    })
  }
  if (outcome.kind !== 'exchanged')
    throw oauthErrors.invalidGrant('The code is not valid, or not for this app')
  const { issued, user, session } = outcome
  recordEvent(call, 'app signed in', {
    user_id: user.id,
    session_id: session.id,
    client_id: client.id,
  })
  return tokenResponse(call, {
    session: { ...session, oauth_client_id: client.id, scope: issued.scope },
    user,
    signIn: { nonce: issued.nonce, authTime: issued.auth_time },
  })
}

const unknown = { kind: 'unknown' } as const

function isInOrder(issued: AppCode, verifier: string, redirectUri: string | undefined): boolean {
  // Optional since OAuth 2.1; when it is sent it must be the same.
  if (redirectUri !== undefined && redirectUri !== issued.redirect_uri) return false
  if (issued.is_expired || !/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false
  const challenge = sha256(verifier).toString('base64url')
  return constantTimeEqual(challenge, issued.code_challenge)
}
