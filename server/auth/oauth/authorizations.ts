import { sha256 } from '../../primitives/sha256.ts'
import { randomBytes } from 'node:crypto'
import type { Transaction } from '../../postgres/database.ts'

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
  asks_anew: boolean
  auth_time: Date | null
}

export interface NewAppAuthorization {
  clientId: string
  redirectUri: string
  scope: string
  state: string | null
  nonce: string | null
  resource: string | null
  challenge: string
  /** The app wants the person to be asked despite an earlier consent. */
  asksAnew: boolean
}

const columns =
  'id, client_id, user_id, redirect_uri, scope, state, nonce, code_challenge, asks_anew, auth_time'

/** @returns its id, which only this browser learns */
export async function insertAuthorization(
  db: Transaction,
  wanted: NewAppAuthorization,
): Promise<string> {
  const { rows } = await db.query<{ id: string }>(
    `insert into auth.oauth_authorizations
        (client_id, redirect_uri, scope, state, nonce, resource, code_challenge, code_challenge_method, asks_anew)
      values ($1, $2, $3, $4, $5, $6, $7, 's256', $8) returning id`,
    [
      wanted.clientId,
      wanted.redirectUri,
      wanted.scope,
      wanted.state,
      wanted.nonce,
      wanted.resource,
      wanted.challenge,
      wanted.asksAnew,
    ],
  )
  const id = rows[0]?.id
  if (id === undefined) throw new Error('an inserted authorization was not returned')
  return id
}

/**
 * Assigns the request to this person, unless it has another, and locks it until the transaction ends.
 *
 * @returns undefined when it is another person's, decided, expired or unknown
 */
export async function claimAuthorization(
  db: Transaction,
  id: string,
  userId: string,
): Promise<AppAuthorization | undefined> {
  const { rows } = await db.query<AppAuthorization>(
    `update auth.oauth_authorizations set user_id = $2
      where id = $1 and (user_id is null or user_id = $2) and status = 'pending' and expires_at > now()
      returning ${columns}`,
    [id, userId],
  )
  return rows[0]
}

/** Locks a request that this person has already read, under the same conditions as {@link claimAuthorization}. */
export async function lockOwnAuthorization(
  db: Transaction,
  id: string,
  userId: string,
): Promise<AppAuthorization | undefined> {
  const { rows } = await db.query<AppAuthorization>(
    `select ${columns} from auth.oauth_authorizations
      where id = $1 and user_id = $2 and status = 'pending' and expires_at > now() for update`,
    [id, userId],
  )
  return rows[0]
}

/** Unassigns a request that waits for this person's decision. @returns false when there is no such request */
export async function releaseAuthorization(
  db: Transaction,
  id: string,
  userId: string,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update auth.oauth_authorizations set user_id = null
      where id = $1 and user_id = $2 and status = 'pending' and expires_at > now()`,
    [id, userId],
  )
  return rowCount === 1
}

/** @returns the code for the app: valid once, for ten minutes. Only its hash is stored. */
export async function approve(db: Transaction, id: string, authTime: Date): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  await db.query(
    `update auth.oauth_authorizations set status = 'approved', code_hash = $2, auth_time = $3,
        expires_at = now() + interval '10 minutes' where id = $1`,
    [id, hashCode(code), authTime],
  )
  return code
}

export async function deny(db: Transaction, id: string): Promise<void> {
  await db.query(`update auth.oauth_authorizations set status = 'denied' where id = $1`, [id])
}

/** A code that came back, locked until the transaction ends. */
export interface AppCode extends AppAuthorization {
  user_id: string
  is_expired: boolean
  is_exchanged: boolean
  session_id: string | null
}

/** Whose code it is, without a lock. */
export async function peekAtAppCode(
  db: Transaction,
  code: string,
): Promise<Pick<AppCode, 'user_id'> | undefined> {
  const { rows } = await db.query<Pick<AppCode, 'user_id'>>(
    `select user_id from auth.oauth_authorizations where code_hash = $1 and status = 'approved'`,
    [hashCode(code)],
  )
  return rows[0]
}

export async function lockAppCode(db: Transaction, code: string): Promise<AppCode | undefined> {
  const { rows } = await db.query<AppCode>(
    `select ${columns}, expires_at <= now() as is_expired, exchanged_at is not null as is_exchanged, session_id
      from auth.oauth_authorizations where code_hash = $1 and status = 'approved' for update`,
    [hashCode(code)],
  )
  return rows[0]
}

/** Stores that the code is spent, and on which session: the session ends if the code comes again. */
export async function markCodeExchanged(
  db: Transaction,
  id: string,
  sessionId: string,
): Promise<void> {
  await db.query(
    'update auth.oauth_authorizations set exchanged_at = now(), session_id = $2 where id = $1',
    [id, sessionId],
  )
}

function hashCode(code: string): string {
  return sha256(code).toString('hex')
}
