import { randomBytes } from 'node:crypto'
import type { Transaction } from '../postgres/database.ts'
import { firstRow, insertRow } from '../postgres/rows.ts'
import { constantTimeEqual } from '../primitives/constant-time.ts'
import { sha256, sha256Hex } from '../primitives/sha256.ts'
import type { AuthCall } from './call.ts'
import { authErrors } from './errors.ts'
import { redirectWith } from './redirects.ts'
import {
  type AuthenticationMethod,
  insertSession,
  type Session,
  type SessionOrigin,
  sessionTokens,
} from './sessions.ts'
import type { User } from './users.ts'

/** The first message of a PKCE client: the hash of a verifier that only it knows (RFC 7636). */
export interface Challenge {
  code_challenge: string
  code_challenge_method: 's256' | 'plain'
}

/** A sign-in in progress: the browser left for a provider, or requested an email, and comes back with a code. */
export interface Flow {
  id: string
  provider: string
  redirect_to: string
  code_challenge: string | null
  provider_verifier: string | null
  nonce: string | null
  linking_user_id: string | null
  /** For a flow that links: false when the session that started it has ended. */
  is_linking_allowed: boolean
}

interface NewFlow extends Partial<Challenge> {
  /** The provider's name, or `email`. */
  provider: string
  /** From allowedRedirect(). */
  redirect_to: string
  provider_verifier?: string
  nonce?: string
  browser_hash?: string
  /** The person, and the session, that asked to link the identity. */
  linking_user_id?: string
  session_id?: string
  /** The emailed link that the exchange of the code consumes (email-flows/redeem.ts). */
  one_time_token_id?: string
}

const flowColumns = `id, provider, redirect_to, code_challenge, provider_verifier, nonce, linking_user_id,
  coalesce(auth.session_is_live(session_id, linking_user_id), false) as is_linking_allowed`

/**
 * The two PKCE fields of a request, both or none. Clients write the method in either case.
 *
 * @throws {AuthError} 400 validation_failed
 */
export function readChallenge(
  challenge: string | null | undefined,
  givenMethod: string | null | undefined,
): Challenge | undefined {
  const method = givenMethod?.toLowerCase()
  if (!challenge && !method) return undefined
  if (!challenge || !method) {
    throw authErrors.invalid('PKCE flow requires code_challenge_method and code_challenge')
  }
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(challenge)) {
    throw authErrors.invalid(
      'code challenge has to be between 43 and 128 characters of a-z, A-Z, 0-9, -, ., _ and ~',
    )
  }
  if (method !== 's256' && method !== 'plain') {
    throw authErrors.invalid('code challenge method must be s256 or plain')
  }
  return { code_challenge: challenge, code_challenge_method: method }
}

/** Stores that a browser left; valid for five minutes. */
export function insertFlow(db: Transaction, flow: NewFlow): Promise<{ id: string }> {
  return insertRow(db, 'auth.flow_states', flow, 'id')
}

/**
 * Consumes the return of a flow, unless it has come back before, is expired, or left from another browser. Of two requests
 * at the same time one gets undefined.
 */
export function takeFlow(
  db: Transaction,
  id: string,
  browserHash: string,
): Promise<Flow | undefined> {
  return firstRow(
    db,
    `with flow as (
        select ${flowColumns} from auth.flow_states
          where id = $1 and browser_hash = $2 and returned_at is null and expires_at > now() for update
      ), taken as (
        update auth.flow_states set returned_at = now(), provider_verifier = null, nonce = null
          where id = (select id from flow)
      )
      select * from flow`,
    [id, browserHash],
  )
}

/**
 * Issues the code that the client exchanges, with its verifier, for a session (POST /token?grant_type=pkce). Valid once,
 * for five minutes. Only its hash is stored.
 */
export async function issueAuthCode(
  db: Transaction,
  flow: { id: string },
  userId: string,
  method: AuthenticationMethod,
): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  await db.query(
    `update auth.flow_states set auth_code_hash = $2, user_id = $3, authentication_method = $4,
        returned_at = coalesce(returned_at, now()), expires_at = now() + interval '5 minutes'
      where id = $1`,
    [flow.id, sha256Hex(code), userId, method],
  )
  return code
}

/** A code that came back, locked until the transaction ends. */
export interface IssuedCode extends Challenge {
  id: string
  user_id: string
  is_expired: boolean
  exchanged_at: Date | null
  /** The session that it was exchanged for, if any. */
  session_id: string | null
}

/** Where the codes of people's clients are, and those of apps: the column with their hash. */
const hashColumns = { flow_states: 'auth_code_hash', oauth_authorizations: 'code_hash' }
type CodeTable = keyof typeof hashColumns

/** Finds a code that came back. Its account is locked first, in the order of a password change. */
export async function lockCode<Purpose>(
  db: Transaction,
  table: CodeTable,
  code: string,
): Promise<(IssuedCode & Purpose) | undefined> {
  const where = `${hashColumns[table]} = $1`
  const values = [sha256Hex(code)]
  await db.query(
    `select 1 from auth.users where id = (select user_id from auth.${table} where ${where}) for update`,
    values,
  )
  return firstRow(
    db,
    `select *, expires_at <= now() as is_expired from auth.${table} where ${where} for update`,
    values,
  )
}

/** Stores on which session a code is spent: that session ends if the code comes again. */
export async function spendCode(
  db: Transaction,
  table: CodeTable,
  { id, user_id }: IssuedCode,
  session: Session,
): Promise<void> {
  await db.query(
    `update auth.${table} set exchanged_at = now(), session_id = $2, user_id = $3 where id = $1`,
    [id, session.id, user_id],
  )
}

/** Whether the client has the verifier that belongs to the challenge. */
export function answersChallenge(
  { code_challenge: challenge, code_challenge_method: method }: Challenge,
  verifier: string,
): boolean {
  const answer = method === 'plain' ? verifier : sha256(verifier).toString('base64url')
  return constantTimeEqual(answer, challenge)
}

/** Contents of a redirect: a code, which only the browser with the verifier can exchange (PKCE), or a session. */
export interface SignInGrant {
  code?: string
  session?: Session
}

/** @param flow of a client that speaks PKCE */
export async function grantSignIn(
  db: Transaction,
  call: AuthCall,
  userId: string,
  method: AuthenticationMethod,
  flow: { id: string } | null | undefined,
  origin?: SessionOrigin,
): Promise<SignInGrant> {
  return flow
    ? { code: await issueAuthCode(db, flow, userId, method) }
    : { session: await insertSession(db, call, userId, method, origin) }
}

/** Redirects with the code in the query, or with the session's tokens and `more` in the fragment. */
export async function redirectSignedIn(
  call: AuthCall,
  redirectTo: string,
  { user, grant }: { user: User; grant: SignInGrant },
  more: Record<string, string> = {},
): Promise<Response> {
  const status = call.request.method === 'POST' ? 303 : 302
  if (!grant.session) return redirectWith(redirectTo, { query: { code: grant.code ?? '' } }, status)
  const tokens = Object.entries(await sessionTokens(call, grant.session, user))
  const fragment = Object.fromEntries(tokens.map(([name, value]) => [name, String(value)]))
  return redirectWith(redirectTo, { fragment: { ...fragment, ...more } }, status)
}
