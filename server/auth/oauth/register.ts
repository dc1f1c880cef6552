import { type AuthCall, readBody, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { AuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import { nameOf, newClientBody } from './client-metadata.ts'
import { insertClient, presentClient } from './clients.ts'
import { oauthErrors } from './oauth-errors.ts'
import { looksLikeProduct } from './product-name.ts'

/** POST /oauth/clients/register: an app registers itself (RFC 7591). It can do nothing until a person allows it. */
export async function registerClient(call: AuthCall): Promise<Response> {
  if (!call.deps.config.auth.oauthRegistration) throw authErrors.registrationDisabled()
  const metadata = await readBody(call, newClientBody).catch(asMetadataError)
  if (looksLikeProduct(nameOf(metadata)))
    throw oauthErrors.invalidClientMetadata(
      'client_name: must not contain the name of this product; ask the operator to register the app',
    )
  const { client, secret } = await transaction(call, (db) => insertClient(db, metadata, 'dynamic'))
  recordEvent(call, 'app registered', { client_id: client.id })
  return Response.json(
    {
      ...presentClient(client, secret),
      client_id_issued_at: Math.floor(client.created_at.getTime() / 1000),
      ...(secret !== undefined && { client_secret_expires_at: 0 }),
    },
    { status: 201, headers: { 'Cache-Control': 'no-store' } },
  )
}

/** Converts to the error codes of RFC 7591. @throws always */
function asMetadataError(error: unknown): never {
  if (!(error instanceof AuthError) || error.code !== 'validation_failed' || error.status !== 400)
    throw error
  throw error.message.startsWith('redirect_uris')
    ? oauthErrors.invalidRedirectUri(error.message)
    : oauthErrors.invalidClientMetadata(error.message)
}
