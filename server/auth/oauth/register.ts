import type { Transaction } from '../../postgres/database.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import { readPage } from '../admin/paging.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { AuthError, authErrors, oauthErrors } from '../errors.ts'
import { recordEvent } from '../record-event.ts'
import { changedClientBody, nameOf, newClientBody, selfRegisteredBody } from './client-metadata.ts'
import {
  type Client,
  clientColumns,
  findClient,
  deleteRequests,
  insertClient,
  newSecret,
  presentClient,
  updateClient,
} from './clients.ts'
import { looksLikeProduct } from './product-name.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/** POST /oauth/clients/register: an app registers itself (RFC 7591). It can do nothing until a person allows it. */
export async function registerClient(call: AuthCall): Promise<Response> {
  if (!call.deps.config.auth.oauthRegistration) throw authErrors.registrationDisabled()
  const metadata = await readBody(call, selfRegisteredBody).catch(asMetadataError)
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
    { status: 201 },
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

/** GET /admin/oauth/clients?page=&per_page=: every app, newest first. */
export async function listAllClients(call: AuthCall): Promise<Response> {
  const { rows, headers } = await readPage<Client>(call, 'oauth_clients', clientColumns)
  const clients = rows.map((client) => presentClient(client))
  return Response.json({ clients, aud: 'authenticated' }, { headers })
}

/** POST /admin/oauth/clients: the operator makes an app known. */
export async function createClient(call: AuthCall): Promise<Response> {
  const metadata = await readBody(call, newClientBody)
  const { client, secret } = await transaction(call, (db) => insertClient(db, metadata, 'manual'))
  recordEvent(call, 'app registered', { client_id: client.id, by: 'operator' })
  return answer(client, secret, 201)
}

/** GET /admin/oauth/clients/{id} */
export async function getClient(call: AuthCall): Promise<Response> {
  return answer(await transaction(call, (db) => clientOf(db, call)))
}

/** PUT /admin/oauth/clients/{id}: changes the given fields. Requests on their way do not outlive their address. */
export async function changeClient(call: AuthCall): Promise<Response> {
  const changes = await readBody(call, changedClientBody)
  const { client, secret } = await transaction(call, async (db) => {
    const before = await clientOf(db, call)
    const method = changes.token_endpoint_auth_method ?? before.token_endpoint_auth_method
    const fresh = method !== 'none' && before.secret_hash === null ? newSecret() : undefined
    const hash = fresh ? sha256Hex(fresh) : method === 'none' ? null : before.secret_hash
    const after = await updateClient(db, before.id, { ...changes, secret_hash: hash })
    if (changes.redirect_uris) await deleteRequests(db, before.id)
    return { client: after, secret: fresh }
  })
  recordEvent(call, 'app changed', { client_id: client.id, fields: Object.keys(changes) })
  return answer(client, secret)
}

/** DELETE /admin/oauth/clients/{id}: its sessions end with it. */
export async function deleteClient(call: AuthCall): Promise<Response> {
  const { id } = await transaction(call, async (db) => {
    const client = await clientOf(db, call)
    await db.query('delete from auth.oauth_clients where id = $1', [client.id])
    return client
  })
  recordEvent(call, 'app removed', { client_id: id })
  return new Response(null, { status: 204 })
}

/** POST /admin/oauth/clients/{id}/regenerate_secret: a new one; the old one stops working at once. */
export async function regenerateSecret(call: AuthCall): Promise<Response> {
  const secret = newSecret()
  const client = await transaction(call, async (db) => {
    const before = await clientOf(db, call)
    if (before.secret_hash === null) throw authErrors.invalid('A public app has no secret')
    return updateClient(db, before.id, { secret_hash: sha256Hex(secret) })
  })
  recordEvent(call, 'app secret changed', { client_id: client.id })
  return answer(client, secret)
}

async function clientOf(db: Transaction, { params }: AuthCall): Promise<Client> {
  const client = orThrow(await findClient(db, params['client']), authErrors.oauthClientNotFound)
  return client
}

function answer(client: Client, secret?: string, status = 200): Response {
  return Response.json(presentClient(client, secret), { status })
}
