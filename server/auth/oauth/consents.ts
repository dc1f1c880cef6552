import { parseScopes } from '#domain/oauth-scopes.ts'
import type { Transaction } from '../../postgres/database.ts'
import type { Client } from './clients.ts'

/** What a person has allowed an app. */
export interface Consent extends Pick<Client, 'client_name' | 'client_uri' | 'logo_uri'> {
  client_id: string
  scope: string
  granted_at: Date
}

/** Whether what the person allowed before has all that is asked for now. */
export async function isCovered(
  db: Transaction,
  userId: string,
  clientId: string,
  scope: string,
): Promise<boolean> {
  const { rows } = await db.query<{ scope: string }>(
    'select scope from auth.oauth_consents where user_id = $1 and client_id = $2',
    [userId, clientId],
  )
  const granted = rows[0] && parseScopes(rows[0].scope).known
  return granted !== undefined && parseScopes(scope).known.every((one) => granted.includes(one))
}

/** Adds to what was allowed before. */
export async function grant(
  db: Transaction,
  userId: string,
  clientId: string,
  scope: string,
): Promise<void> {
  await db.query(
    `insert into auth.oauth_consents as c (user_id, client_id, scope) values ($1, $2, $3)
      on conflict (user_id, client_id) do update set granted_at = now(), scope = (
        select string_agg(distinct one, ' ') from unnest(string_to_array(c.scope || ' ' || excluded.scope, ' ')) as one)`,
    [userId, clientId, scope],
  )
}

export async function listConsents(db: Transaction, userId: string): Promise<Consent[]> {
  const { rows } = await db.query<Consent>(
    `select c.client_id, a.client_name, a.client_uri, a.logo_uri, c.scope, c.granted_at
      from auth.oauth_consents c join auth.oauth_clients a on a.id = c.client_id
      where c.user_id = $1 order by c.granted_at desc, c.client_id`,
    [userId],
  )
  return rows
}

/**
 * Takes back what a person allowed an app, its codes on their way and its sessions, in this order: an exchange that
 * runs at the same time holds its code, so its session is there to be ended or is never made.
 *
 * @returns false when nothing was allowed
 */
export async function revoke(db: Transaction, userId: string, clientId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'delete from auth.oauth_consents where user_id = $1 and client_id = $2',
    [userId, clientId],
  )
  await db.query('delete from auth.oauth_authorizations where user_id = $1 and client_id = $2', [
    userId,
    clientId,
  ])
  await db.query('delete from auth.sessions where user_id = $1 and oauth_client_id = $2', [
    userId,
    clientId,
  ])
  return rowCount === 1
}
