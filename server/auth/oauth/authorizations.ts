import type { Transaction } from '../../postgres/database.ts'
import { firstRow, onlyRow } from '../../postgres/rows.ts'
import { sha256Hex } from '../../primitives/sha256.ts'

/** One request of an app, from the first visit to the exchange of its code. */
export interface AppAuthorization {
  id: string
  client_id: string
  user_id: string | null
  redirect_uri: string
  scope: string
  state: string | null
  nonce: string | null
  code_challenge: string
  /** The app wants the person to be asked despite an earlier consent. */
  asks_anew: boolean
  auth_time: Date | null
}

export type NewAppAuthorization = Omit<AppAuthorization, 'id' | 'user_id' | 'auth_time'> & {
  resource: string | null
}

const columns =
  'id, client_id, user_id, redirect_uri, scope, state, nonce, code_challenge, asks_anew, auth_time'

/** @returns its id, which only this browser learns */
export function insertAuthorization(
  db: Transaction,
  wanted: NewAppAuthorization,
): Promise<{ id: string }> {
  return onlyRow(
    db,
    `insert into auth.oauth_authorizations
        (client_id, redirect_uri, scope, state, nonce, resource, code_challenge, code_challenge_method, asks_anew)
      values ($1, $2, $3, $4, $5, $6, $7, 's256', $8) returning id`,
    [
      wanted.client_id,
      wanted.redirect_uri,
      wanted.scope,
      wanted.state,
      wanted.nonce,
      wanted.resource,
      wanted.code_challenge,
      wanted.asks_anew,
    ],
  )
}

/**
 * Assigns the request to this person, unless it has another, and locks it until the transaction ends.
 *
 * @returns undefined when it is another person's, decided, expired or unknown
 */
export function claimAuthorization(
  db: Transaction,
  id: string,
  userId: string,
): Promise<AppAuthorization | undefined> {
  return firstRow(
    db,
    `update auth.oauth_authorizations set user_id = $2
      where id = $1 and (user_id is null or user_id = $2) and status = 'pending' and expires_at > now()
      returning ${columns}`,
    [id, userId],
  )
}

/** Locks a request that this person has already read, under the same conditions as {@link claimAuthorization}. */
export function lockOwnAuthorization(
  db: Transaction,
  id: string,
  userId: string,
): Promise<AppAuthorization | undefined> {
  return firstRow(
    db,
    `select ${columns} from auth.oauth_authorizations
      where id = $1 and user_id = $2 and status = 'pending' and expires_at > now() for update`,
    [id, userId],
  )
}

/** A code that came back, locked until the transaction ends. */
export interface AppCode extends AppAuthorization {
  user_id: string
  is_expired: boolean
  is_exchanged: boolean
  session_id: string | null
}

/** Finds a code, and locks it after its account, in the order of a password change. */
export async function lockAppCode(db: Transaction, code: string): Promise<AppCode | undefined> {
  const hash = sha256Hex(code)
  await db.query(
    `select 1 from auth.users
      where id = (select user_id from auth.oauth_authorizations where code_hash = $1) for update`,
    [hash],
  )
  return firstRow(
    db,
    `select ${columns}, expires_at <= now() as is_expired, exchanged_at is not null as is_exchanged, session_id
      from auth.oauth_authorizations where code_hash = $1 and status = 'approved' for update`,
    [hash],
  )
}
