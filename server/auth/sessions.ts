import { randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { parseScopes } from '#domain/access/oauth-scopes.ts'
import type { Transaction } from '../postgres/database.ts'
import { doorsAudience } from '../tokens/audiences.ts'
import { firstRow, insertRow, onlyRow } from '../postgres/rows.ts'
import type { AuthCall } from './call.ts'
import { presentUser } from './present-user.ts'
import { encodeRefreshToken } from './refresh-token.ts'
import type { User } from './users.ts'

/** A session is its refresh-token family: one row, one key, one counter. */
export interface Session {
  id: string
  user_id: string
  aal: 'aal1' | 'aal2'
  /** How and when (unix seconds) the person authenticated, newest first. */
  amr: { method: AuthenticationMethod; timestamp: number }[]
  refresh_key: Buffer
  /** A bigint: the driver gives text. */
  refresh_counter: string
  /** The app that holds the session, and its scopes; null for a person's own. */
  oauth_client_id: string | null
  scope: string | null
  /** Resource of the app's tokens; null for the doors. */
  resource: string | null
  /** The space that an app acts for; null for the person's own account. */
  account_id: string | null
  /** For a sign-in by a provider with an admin claim: its id, and until when its claims count. */
  claim_provider: string | null
  claims_until: Date | null
  refreshed_at: Date
  created_at: Date
}

/** How a person authenticated: the values of the protocol's `amr` claim. */
export type AuthenticationMethod =
  | 'password'
  | 'otp'
  | 'magiclink'
  | 'recovery'
  | 'invite'
  | 'email/signup'
  | 'email_change'
  | 'oauth'
  | 'totp'
  | 'mfa/phone'
  | 'mfa/webauthn'
  | 'oauth_provider/authorization_code'

/** How long an access token is valid. */
const accessTokenLifetimeSeconds = 3600

const columns =
  'id, user_id, aal, amr, refresh_key, refresh_counter, oauth_client_id, scope, resource, account_id, claim_provider, claims_until, refreshed_at, created_at'

/** Maximum sessions per account, including apps. */
const maxSessions = 100

/** The app that holds a new session, or the claims that it came with. */
export type SessionOrigin = Partial<
  Pick<
    Session,
    'oauth_client_id' | 'scope' | 'resource' | 'account_id' | 'claim_provider' | 'claims_until'
  >
>

/** Starts a session for a person who has just authenticated. With too many, those end that were not used for longest. */
export async function insertSession(
  db: Transaction,
  { request, info }: AuthCall,
  userId: string,
  method: AuthenticationMethod,
  more?: SessionOrigin,
): Promise<Session> {
  const row = {
    user_id: userId,
    amr: JSON.stringify([authenticatedNow(method)]),
    refresh_key: randomBytes(32),
    user_agent: request.headers.get('user-agent')?.slice(0, 512),
    ip: info.address.slice(0, 64),
    ...more,
  }
  const session = await insertRow<Session>(db, 'auth.sessions', row, columns)
  await db.query(
    `delete from auth.sessions where id in (
      select id from auth.sessions where user_id = $1 and id <> $2 order by refreshed_at desc offset $3)`,
    [userId, session.id, maxSessions - 1],
  )
  return session
}

function authenticatedNow(method: AuthenticationMethod): Session['amr'][number] {
  return { method, timestamp: Math.floor(Date.now() / 1000) }
}

/**
 * Locks the session until the transaction ends: refreshes of one family queue here. `is_live` is false for a session that was
 * not refreshed for too long: every door refuses it, and a refresh does not revive it.
 */
export function lockSession(
  db: Transaction,
  id: string,
): Promise<(Session & { is_live: boolean; are_claims_due: boolean }) | undefined> {
  return firstRow(
    db,
    `select ${columns}, auth.session_is_live(id, user_id) as is_live,
        coalesce(claims_until <= now(), false) as are_claims_due from auth.sessions where id = $1 for update`,
    [id],
  )
}

/** Advances the counter: from now only the token of the new counter, and its parent, are valid. */
export function rotate(db: Transaction, session: Session): Promise<Session> {
  return onlyRow(
    db,
    `update auth.sessions set refresh_counter = refresh_counter + 1, refreshed_at = now()
      where id = $1 returning ${columns}`,
    [session.id],
  )
}

const secondFactorMethods: AuthenticationMethod[] = ['totp', 'mfa/phone', 'mfa/webauthn']

/**
 * Raises a session to aal2 after the second factor. All tokens that were issued for it before are void, and so is every other
 * aal1 session of the person. Sessions of apps stay.
 *
 * @param session locked by this transaction
 */
export async function raiseSession(
  db: Transaction,
  session: Session,
  method: AuthenticationMethod,
  factorId: string,
): Promise<Session> {
  const others = session.amr.filter((entry) => entry.method !== method)
  const raised = await onlyRow<Session>(
    db,
    `update auth.sessions set aal = 'aal2', amr = $2, factor_id = $3, refresh_counter = refresh_counter + 2,
        refreshed_at = now()
      where id = $1 returning ${columns}`,
    [session.id, JSON.stringify([authenticatedNow(method), ...others]), factorId],
  )
  await db.query(
    `delete from auth.sessions where user_id = $1 and id <> $2 and aal = 'aal1' and oauth_client_id is null`,
    [session.user_id, session.id],
  )
  return raised
}

/** Lowers the sessions that were raised with a removed factor to aal1. */
export async function lowerSessions(db: Transaction, factorId: string): Promise<void> {
  await db.query(
    `update auth.sessions set aal = 'aal1', factor_id = null, amr = (
        select coalesce(jsonb_agg(entry order by position), '[]')
          from jsonb_array_elements(amr) with ordinality as shown(entry, position)
          where not entry ->> 'method' = any ($2))
      where factor_id = $1`,
    [factorId, secondFactorMethods],
  )
}

/**
 * Ends sessions at once: every door reads the session on each request (auth.session_status). Unless only one session
 * ends, also deletes the codes that could become new sessions.
 */
export async function endSessions(
  db: Transaction,
  which: { user: string; only?: string; except?: string },
): Promise<number> {
  if (which.only === undefined) await dropCodes(db, which.user)
  const { rowCount } = await db.query(
    `delete from auth.sessions where user_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)`,
    [which.user, which.only, which.except],
  )
  return rowCount ?? 0
}

/**
 * Runs before the sessions are deleted. A concurrent exchange holds its code, so its session either exists by then or is
 * never created.
 */
async function dropCodes(db: Transaction, userId: string): Promise<void> {
  await db.query('delete from auth.flow_states where user_id = $1 and exchanged_at is null', [
    userId,
  ])
  await db.query(
    `delete from auth.oauth_authorizations where user_id = $1 and status = 'approved' and exchanged_at is null`,
    [userId],
  )
}

/** A fresh access token and the family's current refresh token. */
export async function sessionTokens(call: AuthCall, session: Session, user: User) {
  const accessToken = await call.deps.tokens.sign(
    {
      sub: user.id,
      aud: session.resource ?? doorsAudience,
      ...personClaims(user, session),
      role: 'authenticated',
      aal: session.aal,
      amr: session.amr,
      session_id: session.id,
      is_anonymous: false,
      ...(session.oauth_client_id && {
        client_id: session.oauth_client_id,
        scope: session.scope ?? '',
        ...(session.account_id !== null && { account: session.account_id }),
      }),
    },
    accessTokenLifetimeSeconds,
  )
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: accessTokenLifetimeSeconds,
    expires_at: decodeJwt(accessToken).exp ?? 0,
    refresh_token: encodeRefreshToken(
      session.id,
      BigInt(session.refresh_counter),
      session.refresh_key,
    ),
  }
}

/** Claims about the person. An app can read its token, so it gets only claims within its scopes. */
function personClaims(user: User, session: Session): Record<string, unknown> {
  const scopes =
    session.oauth_client_id === null ? undefined : parseScopes(session.scope ?? '').known
  const { app_metadata, user_metadata } = user
  return {
    email: !scopes || scopes.includes('email') ? (user.email ?? '') : '',
    phone: '',
    app_metadata: scopes ? {} : app_metadata,
    user_metadata: !scopes || scopes.includes('profile') ? user_metadata : {},
  }
}

/** The protocol's session object: tokens and user. */
export async function sessionResponse(
  call: AuthCall,
  session: Session,
  user: User,
): Promise<Response> {
  return Response.json({ ...(await sessionTokens(call, session, user)), user: presentUser(user) })
}
