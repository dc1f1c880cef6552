import { randomBytes } from 'node:crypto'
import type { Transaction } from '../../postgres/database.ts'
import { firstRow, insertRow } from '../../postgres/rows.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import { isUuid } from '../../primitives/uuid.ts'
import { isStorable } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { type ClientChanges, type ClientMetadata, nameOf } from './client-metadata.ts'

/** An app that acts for people. Without a secret it is a public client. */
export interface Client {
  id: string
  secret_hash: string | null
  registration: 'dynamic' | 'manual'
  client_name: string
  client_uri: string | null
  logo_uri: string | null
  redirect_uris: string[]
  grant_types: string[]
  token_endpoint_auth_method: 'none' | 'client_secret_basic' | 'client_secret_post'
  scope: string
  /** The id that the app knows itself by, when it is the address of a document about it (client-documents.ts). */
  document_url: string | null
  created_at: Date
  updated_at: Date
}

export const clientColumns = `id, secret_hash, registration, client_name, client_uri, logo_uri, redirect_uris, grant_types,
  token_endpoint_auth_method, scope, document_url, created_at, updated_at`

/** @param id a UUID, or the address of the app's document */
export async function findClient(
  db: Transaction,
  id: string | null | undefined,
): Promise<Client | undefined> {
  if (id === null || id === undefined || !isStorable(id)) return undefined
  const column = isUuid(id) ? 'id' : 'document_url'
  return firstRow(db, `select ${clientColumns} from auth.oauth_clients where ${column} = $1`, [id])
}

/** Ends open authorization requests of the app. */
export async function deleteRequests(db: Transaction, clientId: string): Promise<void> {
  await db.query(
    'delete from auth.oauth_authorizations where client_id = $1 and exchanged_at is null',
    [clientId],
  )
}

/** @returns the app and its secret, which is shown once; undefined for a public client */
export async function insertClient(
  db: Transaction,
  { response_types: _always, ...metadata }: ClientMetadata,
  registration: Client['registration'],
): Promise<{ client: Client; secret: string | undefined }> {
  const secret = metadata.token_endpoint_auth_method === 'none' ? undefined : newSecret()
  const row = {
    ...metadata,
    client_name: nameOf(metadata),
    registration,
    secret_hash: secret && sha256Hex(secret),
  }
  return { client: await insertRow(db, 'auth.oauth_clients', row, clientColumns), secret }
}

/** Changes the given fields. @throws {AuthError} 404 when it was deleted in the meantime */
export async function updateClient(
  db: Transaction,
  id: string,
  changes: ClientChanges & Pick<Client, 'secret_hash'>,
): Promise<Client> {
  const client = await firstRow<Client>(
    db,
    `update auth.oauth_clients c set (secret_hash, client_name, client_uri, logo_uri, redirect_uris, grant_types,
        token_endpoint_auth_method, scope, updated_at) = (
        select n.secret_hash, n.client_name, n.client_uri, n.logo_uri, n.redirect_uris, n.grant_types,
            n.token_endpoint_auth_method, n.scope, now() from jsonb_populate_record(c, $2) n)
      where id = $1 returning ${clientColumns}`,
    [id, changes],
  )
  return orThrow(client, authErrors.oauthClientNotFound)
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The app for the admin API and for its own registration; the secret only when it is new. */
export function presentClient(client: Client, secret?: string): Record<string, unknown> {
  return {
    client_id: client.id,
    client_secret: secret,
    client_name: client.client_name,
    client_type: client.secret_hash === null ? 'public' : 'confidential',
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    registration_type: client.registration,
    client_uri: client.client_uri ?? undefined,
    logo_uri: client.logo_uri ?? undefined,
    redirect_uris: client.redirect_uris,
    grant_types: client.grant_types,
    response_types: ['code'],
    scope: client.scope,
    created_at: client.created_at,
    updated_at: client.updated_at,
  }
}

/** The app for people who are asked for consent or list their grants. */
export function presentClientToPeople(
  client: Pick<Client, 'id' | 'client_name' | 'client_uri' | 'logo_uri' | 'document_url'>,
): Record<string, unknown> {
  return {
    id: client.id,
    name: client.client_name,
    // The address of its document is shown to be the app's.
    uri: client.document_url ?? client.client_uri ?? '',
    logo_uri: client.logo_uri ?? '',
  }
}
