import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { changedClientBody, newClientBody } from './client-metadata.ts'
import {
  type Client,
  findClient,
  hashSecret,
  insertClient,
  listClients,
  newSecret,
  presentClient,
  updateClient,
} from './clients.ts'

const pageSize = z.coerce.number().int().min(1).max(1_000).catch(50)
const pageNumber = z.coerce.number().int().min(1).max(1_000_000).catch(1)

/** GET /admin/oauth/clients?page=&per_page=: every app, newest first. */
export async function listAllClients(call: AuthCall): Promise<Response> {
  const query = call.url.searchParams
  const page = pageNumber.parse(query.get('page') || undefined)
  const size = pageSize.parse(query.get('per_page') || undefined)
  const { clients, total } = await transaction(call, (db) => listClients(db, page, size))
  const last = Math.max(1, Math.ceil(total / size))
  const link = (to: number, rel: string) => {
    const url = new URL(call.url.pathname, call.deps.config.publicUrl)
    url.search = new URLSearchParams({ page: String(to), per_page: String(size) }).toString()
    return `<${url.href}>; rel="${rel}"`
  }
  const links = [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')]
  return Response.json(
    { clients: clients.map((client) => presentClient(client)), aud: 'authenticated' },
    {
      headers: {
        'Cache-Control': 'no-store',
        'X-Total-Count': String(total),
        Link: links.join(', '),
      },
    },
  )
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

/** PUT /admin/oauth/clients/{id}: changes what is given. Requests on their way do not outlive their address. */
export async function changeClient(call: AuthCall): Promise<Response> {
  const changes = await readBody(call, changedClientBody)
  const { client, secret } = await transaction(call, async (db) => {
    const before = await clientOf(db, call)
    const method = changes.token_endpoint_auth_method ?? before.token_endpoint_auth_method
    const fresh = method !== 'none' && before.secret_hash === null ? newSecret() : undefined
    const kept = method === 'none' ? null : before.secret_hash
    const after = await updateClient(db, {
      ...before,
      ...given(changes),
      token_endpoint_auth_method: method,
      secret_hash: fresh === undefined ? kept : hashSecret(fresh),
    })
    if (!after) throw authErrors.oauthClientNotFound(404)
    if (changes.redirect_uris) {
      await db.query(
        'delete from auth.oauth_authorizations where client_id = $1 and exchanged_at is null',
        [before.id],
      )
    }
    return { client: after, secret: fresh }
  })
  recordEvent(call, 'app changed', { client_id: client.id, fields: Object.keys(given(changes)) })
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
    return updateClient(db, { ...before, secret_hash: hashSecret(secret) })
  })
  if (!client) throw authErrors.oauthClientNotFound(404)
  recordEvent(call, 'app secret changed', { client_id: client.id })
  return answer(client, secret)
}

async function clientOf(db: Transaction, { params }: AuthCall): Promise<Client> {
  const client = await findClient(db, params['client'])
  if (!client) throw authErrors.oauthClientNotFound(404)
  return client
}

/** The fields that are there, without the undefined ones. */
function given<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: NonNullable<Fields[Name]>
  }
}

function answer(client: Client, secret?: string, status = 200): Response {
  return Response.json(presentClient(client, secret), {
    status,
    headers: { 'Cache-Control': 'no-store' },
  })
}
