import { parseScopes } from '#domain/oauth-scopes.ts'
import { transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { isId, presentClientToPeople } from './clients.ts'
import { listConsents, revoke } from './consents.ts'

/** GET /user/oauth/grants: the apps that may act for this person. */
export async function listGrants(call: SignedInCall): Promise<Response> {
  const consents = await transaction(call, (db) => listConsents(db, call.user.id))
  const grants = consents.map(({ client_id: id, scope, granted_at: grantedAt, ...client }) => ({
    client: presentClientToPeople({ id, ...client }),
    scopes: parseScopes(scope).known,
    granted_at: grantedAt.toISOString(),
  }))
  return Response.json(grants, { headers: { 'Cache-Control': 'no-store' } })
}

/** DELETE /user/oauth/grants?client_id=: takes it back; the app's tokens stop working at once. */
export async function revokeGrant(call: SignedInCall): Promise<Response> {
  const clientId = call.url.searchParams.get('client_id')
  if (!isId(clientId)) throw authErrors.invalid('client_id must be an app’s id')
  const isRevoked = await transaction(call, (db) => revoke(db, call.user.id, clientId))
  if (!isRevoked) throw authErrors.consentNotFound()
  recordEvent(call, 'app no longer allowed', { user_id: call.user.id, client_id: clientId })
  return new Response(null, { status: 204 })
}
