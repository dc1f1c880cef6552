import { sha256 } from '../../primitives/sha256.ts'
import { randomBytes } from 'node:crypto'
import { constantTimeEqual } from '../../primitives/constant-time.ts'
import type { Transaction } from '../../postgres/database.ts'
import { type ClientMetadata, nameOf } from './client-metadata.ts'

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
  created_at: Date
  updated_at: Date
}

const columns = `id, secret_hash, registration, client_name, client_uri, logo_uri, redirect_uris, grant_types,
  token_endpoint_auth_method, scope, created_at, updated_at`

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text from outside has the form of an id: the database answers others with an error. */
export function isId(text: string | null | undefined): text is string {
  return typeof text === 'string' && uuid.test(text)
}

export async function findClient(
  db: Transaction,
  id: string | null | undefined,
): Promise<Client | undefined> {
  if (!isId(id)) return undefined
  const { rows } = await db.query<Client>(
    `select ${columns} from auth.oauth_clients where id = $1`,
    [id],
  )
  return rows[0]
}

/** @param page from 1, newest first */
export async function listClients(
  db: Transaction,
  page: number,
  size: number,
): Promise<{ clients: Client[]; total: number }> {
  const { rows } = await db.query<Client>(
    `select ${columns} from auth.oauth_clients order by created_at desc, id limit $1 offset $2`,
    [size, (page - 1) * size],
  )
  const counted = await db.query<{ total: number }>(
    'select count(*)::int as total from auth.oauth_clients',
  )
  return { clients: rows, total: counted.rows[0]?.total ?? 0 }
}

/** @returns the app and its secret, which is shown once; undefined for a public client */
export async function insertClient(
  db: Transaction,
  metadata: ClientMetadata,
  registration: Client['registration'],
): Promise<{ client: Client; secret: string | undefined }> {
  const method = metadata.token_endpoint_auth_method
  const secret = method === 'none' ? undefined : newSecret()
  const { rows } = await db.query<Client>(
    `insert into auth.oauth_clients (secret_hash, registration, client_name, client_uri, logo_uri, redirect_uris,
        grant_types, token_endpoint_auth_method, scope)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`,
    [
      secret === undefined ? null : hashSecret(secret),
      registration,
      nameOf(metadata),
      metadata.client_uri ?? null,
      metadata.logo_uri ?? null,
      metadata.redirect_uris,
      metadata.grant_types,
      method,
      metadata.scope,
    ],
  )
  const client = rows[0]
  if (!client) throw new Error('an inserted app was not returned')
  return { client, secret }
}

/** Writes all columns of the app. */
export async function updateClient(db: Transaction, client: Client): Promise<Client | undefined> {
  const { rows } = await db.query<Client>(
    `update auth.oauth_clients set secret_hash = $2, client_name = $3, client_uri = $4, logo_uri = $5,
        redirect_uris = $6, grant_types = $7, token_endpoint_auth_method = $8, scope = $9, updated_at = now()
      where id = $1 returning ${columns}`,
    [
      client.id,
      client.secret_hash,
      client.client_name,
      client.client_uri,
      client.logo_uri,
      client.redirect_uris,
      client.grant_types,
      client.token_endpoint_auth_method,
      client.scope,
    ],
  )
  return rows[0]
}

export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** A fast hash without salt is enough for 256 random bits. */
export function hashSecret(secret: string): string {
  return sha256(secret).toString('hex')
}

export function isSecretOf(client: Client, secret: string): boolean {
  return constantTimeEqual(client.secret_hash ?? '', hashSecret(secret))
}

/** The app for the admin API and for its own registration; the secret only when it is new. */
export function presentClient(client: Client, secret?: string): Record<string, unknown> {
  return {
    client_id: client.id,
    ...(secret !== undefined && { client_secret: secret }),
    client_name: client.client_name,
    client_type: client.secret_hash === null ? 'public' : 'confidential',
    token_endpoint_auth_method: client.token_endpoint_auth_method,
    registration_type: client.registration,
    ...(client.client_uri && { client_uri: client.client_uri }),
    ...(client.logo_uri && { logo_uri: client.logo_uri }),
    redirect_uris: client.redirect_uris,
    grant_types: client.grant_types,
    response_types: ['code'],
    scope: client.scope,
    created_at: client.created_at.toISOString(),
    updated_at: client.updated_at.toISOString(),
  }
}

/** The app for people who are asked for consent or list their grants. */
export function presentClientToPeople(
  client: Pick<Client, 'id' | 'client_name' | 'client_uri' | 'logo_uri'>,
): Record<string, unknown> {
  return {
    id: client.id,
    name: client.client_name,
    uri: client.client_uri ?? '',
    logo_uri: client.logo_uri ?? '',
  }
}
