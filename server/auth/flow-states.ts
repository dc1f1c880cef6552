import { sha256 } from '../primitives/sha256.ts'
import { randomBytes } from 'node:crypto'
import type { Transaction } from '../postgres/database.ts'
import { authErrors } from './errors.ts'
import type { AuthenticationMethod } from './sessions.ts'

/** What a PKCE client sends first: the hash of a verifier that only it knows (RFC 7636). */
export interface Challenge {
  challenge: string
  method: 's256' | 'plain'
}

/** A sign-in in progress: the browser left for a provider, or requested an email, and comes back with a code. */
export interface Flow {
  id: string
  provider: string
  redirect_to: string
  code_challenge: string | null
  provider_verifier: string | null
  nonce: string | null
  browser_hash: string | null
  linking_user_id: string | null
  /** For a flow that links: false when the session that started it has ended. */
  is_linking_allowed: boolean
}

interface NewFlow {
  /** The provider's name, or `email`. */
  provider: string
  /** From allowedRedirect(). */
  redirectTo: string
  challenge?: Challenge | undefined
  providerVerifier?: string
  nonce?: string
  browserHash?: string
  /** The person and session that asked to link the identity. */
  linking?: { userId: string; sessionId: string } | undefined
  /** The emailed link that the exchange of the code consumes (email-flows/held-links.ts). */
  oneTimeTokenId?: string
}

const flowColumns = `id, provider, redirect_to, code_challenge, provider_verifier, nonce, browser_hash, linking_user_id,
  coalesce(auth.session_is_live(session_id, linking_user_id), false) as is_linking_allowed`

/**
 * The two PKCE fields of a request, both or none. Clients write the method in either case.
 *
 * @throws {AuthError} 400 validation_failed
 */
export function readChallenge(
  challenge: string | null | undefined,
  method: string | null | undefined,
): Challenge | undefined {
  if (!challenge && !method) return undefined
  if (!challenge || !method) {
    throw authErrors.invalid('PKCE flow requires code_challenge_method and code_challenge')
  }
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(challenge)) {
    throw authErrors.invalid(
      'code challenge has to be between 43 and 128 characters of a-z, A-Z, 0-9, -, ., _ and ~',
    )
  }
  const name = method.toLowerCase()
  if (name !== 's256' && name !== 'plain') {
    throw authErrors.invalid('code challenge method must be s256 or plain')
  }
  return { challenge, method: name }
}

/** Stores that a browser left; valid for five minutes. */
export async function insertFlow(db: Transaction, flow: NewFlow): Promise<{ id: string }> {
  const { rows } = await db.query<{ id: string }>(
    `insert into auth.flow_states (provider, redirect_to, code_challenge, code_challenge_method, provider_verifier,
        nonce, browser_hash, linking_user_id, session_id, one_time_token_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [
      flow.provider,
      flow.redirectTo,
      flow.challenge?.challenge ?? null,
      flow.challenge?.method ?? null,
      flow.providerVerifier ?? null,
      flow.nonce ?? null,
      flow.browserHash ?? null,
      flow.linking?.userId ?? null,
      flow.linking?.sessionId ?? null,
      flow.oneTimeTokenId ?? null,
    ],
  )
  const row = rows[0]
  if (!row) throw new Error('an inserted flow was not returned')
  return row
}

/** Finds a flow that has not come back yet and is not expired. */
export async function findFlow(db: Transaction, id: string): Promise<Flow | undefined> {
  const { rows } = await db.query<Flow>(
    `select ${flowColumns} from auth.flow_states where id = $1 and returned_at is null and expires_at > now()`,
    [id],
  )
  return rows[0]
}

/** Consumes the return of a flow: of two requests at the same time one gets false. */
export async function takeFlow(db: Transaction, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update auth.flow_states set returned_at = now(), provider_verifier = null, nonce = null
      where id = $1 and returned_at is null and expires_at > now()`,
    [id],
  )
  return rowCount === 1
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
  const { rowCount } = await db.query(
    `update auth.flow_states set auth_code_hash = $2, user_id = $3, authentication_method = $4,
        returned_at = coalesce(returned_at, now()), expires_at = now() + interval '5 minutes'
      where id = $1 and auth_code_hash is null`,
    [flow.id, hashCode(code), userId, method],
  )
  if (rowCount !== 1) throw new Error('a flow was given two codes')
  return code
}

/** A code that came back, locked until the transaction ends. */
export interface IssuedCode {
  id: string
  user_id: string
  authentication_method: AuthenticationMethod
  code_challenge: string
  code_challenge_method: Challenge['method']
  is_expired: boolean
  /** The session that it was exchanged for, if any. */
  session_id: string | null
  is_exchanged: boolean
  /** The emailed link that the exchange consumes. */
  one_time_token_id: string | null
}

/** Whose code it is, without a lock. It may be gone when {@link lockCode} reads it. */
export async function peekAtCode(
  db: Transaction,
  code: string,
): Promise<Pick<IssuedCode, 'user_id' | 'one_time_token_id'> | undefined> {
  const { rows } = await db.query<Pick<IssuedCode, 'user_id' | 'one_time_token_id'>>(
    'select user_id, one_time_token_id from auth.flow_states where auth_code_hash = $1',
    [hashCode(code)],
  )
  return rows[0]
}

export async function lockCode(db: Transaction, code: string): Promise<IssuedCode | undefined> {
  const { rows } = await db.query<IssuedCode>(
    `select id, user_id, authentication_method, code_challenge, code_challenge_method,
        expires_at <= now() as is_expired, session_id, exchanged_at is not null as is_exchanged, one_time_token_id
      from auth.flow_states where auth_code_hash = $1 and code_challenge is not null for update`,
    [hashCode(code)],
  )
  return rows[0]
}

/**
 * Detaches a code from its account, so that a link that clears the account does not delete it: the reuse of the code must stay
 * detectable. {@link markExchanged} attaches it again.
 */
export async function setCodeAside(db: Transaction, { id }: Pick<IssuedCode, 'id'>): Promise<void> {
  await db.query('update auth.flow_states set user_id = null where id = $1', [id])
}

/** Stores that a code is spent, and on which session: the session ends if the code comes again. */
export async function markExchanged(
  db: Transaction,
  code: Pick<IssuedCode, 'id' | 'user_id'>,
  sessionId: string,
): Promise<void> {
  await db.query(
    'update auth.flow_states set exchanged_at = now(), session_id = $2, user_id = $3 where id = $1',
    [code.id, sessionId, code.user_id],
  )
}

function hashCode(code: string): string {
  return sha256(code).toString('hex')
}
