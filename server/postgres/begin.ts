import pg from 'pg'
import type { Role } from './roles.ts'

/** The claims of a verified token, as row policies read them (`sub`, `role`, `session_id`, …). */
export type Claims = Record<string, unknown>

/** The person or role of a transaction, and its bounds. */
export interface Caller {
  role: Role
  /**
   * For `authenticated` with a `session_id`, the session must be alive (see {@link SessionEndedError}) and as sure of the
   * person as the account asks (see {@link SecondFactorMissingError}); with a `key_id`, that API key must be alive.
   */
  claims?: Claims
  /** The one row a public look-up may see: `<relation>:<key>` (database/code/01_identity.sql, `app.lookup_key`). */
  lookup?: string | undefined
  /** Goes into the audit log beside an admin's action. */
  requestId?: string
  readOnly?: boolean
  /** `work` is one query, which goes out with begin and commit in one round trip. */
  isOneQuery?: boolean
  /** In milliseconds; default: 5,000. */
  statementTimeout?: number
  /**
   * For reads: a replica may answer, if there is one (DATABASE_READ_URL). `caught-up`: with all that was committed before;
   * `lagging`: as of some seconds ago, see {@link Transaction.asOf}. `work` may run twice: on a replica, then on the primary.
   */
  replica?: 'lagging' | 'caught-up'
}

/** The token is genuine, but its session was ended (sign-out, reuse, ban, deletion). */
export class SessionEndedError extends Error {
  name = 'SessionEndedError'
}

/** The same for an API key that was revoked or has expired, or belongs to a banned person. */
export class ApiKeyEndedError extends SessionEndedError {
  name = 'ApiKeyEndedError'
}

/** The session is alive, but its person has a second factor and has not shown it yet. Doors answer 403. */
export class SecondFactorMissingError extends Error {
  name = 'SecondFactorMissingError'
}

export const defaultStatementTimeout = 5_000
/** A process that hangs inside a transaction must not hold its locks: the server ends the connection then. */
const idleInTransactionTimeoutMs = 10_000

/** Begin, role, claims and limits in one message (a multi-statement query takes no parameters, hence the escapes). */
export function beginOf(caller: Caller): string {
  const claims = JSON.stringify({ ...caller.claims, role: caller.role })
  const statements = [
    caller.readOnly ? 'begin read only' : 'begin',
    `set local role ${caller.role}`,
    `select set_config('request.jwt.claims', ${pg.escapeLiteral(claims)}, true),
      set_config('hoplet.lookup', ${pg.escapeLiteral(caller.lookup ?? '')}, true),
      set_config('hoplet.request_id', ${pg.escapeLiteral(caller.requestId ?? '')}, true),
      set_config('idle_in_transaction_session_timeout', '${idleInTransactionTimeoutMs}', true),
      set_config('statement_timeout', '${Math.trunc(caller.statementTimeout ?? defaultStatementTimeout)}', true)`,
  ]
  const status = sessionStatusQuestion(caller)
  if (status !== undefined) statements.push(`select auth.require_live(${status})`)
  return statements.join(';\n')
}

/** Whether a person's token is still good, in SQL; undefined when nothing has to be asked. */
function sessionStatusQuestion({ role, claims = {} }: Caller): string | undefined {
  const { session_id: session, key_id: key, sub, aal } = claims
  if (role !== 'authenticated' || (session === undefined && key === undefined)) return undefined
  const id = key ?? session
  if (typeof id !== 'string' || typeof sub !== 'string') throw new SessionEndedError('no session')
  const [credential, person] = [pg.escapeLiteral(id), pg.escapeLiteral(sub)]
  if (key !== undefined) return `auth.api_key_status(${credential}::uuid, ${person}::uuid)`
  const level = pg.escapeLiteral(aal === 'aal1' ? 'aal1' : 'aal2')
  return `auth.session_status(${credential}::uuid, ${person}::uuid, ${level})`
}

/** Of `auth.require_live`. */
const notLive = 'HP001'

/** Turns a refusal of the first statement into the error that says why. */
export function throwEnded({ claims }: Caller) {
  return (error: unknown): never => {
    if (!(error instanceof pg.DatabaseError) || error.code !== notLive) throw error
    if (error.hint === 'first_factor')
      throw new SecondFactorMissingError('a second factor is needed')
    if (claims?.['key_id'] !== undefined)
      throw new ApiKeyEndedError('the API key was revoked or has expired')
    throw new SessionEndedError('the session of this token has ended')
  }
}
