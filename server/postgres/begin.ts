import pg from 'pg'
import type { Role } from './roles.ts'

/**
 * The claims of a request, as row policies read them (`role`, `session_id`, …). `sub` is the account that it acts for; where that is a
 * space, `person` is the human and `member_role` their role there.
 */
export type Claims = Record<string, unknown>

/** `statementTimeout` of the deletion of an account, which may have 100,000 links. */
export const accountDeletionMs = 60_000

/** The person or role of a transaction, and its bounds. */
export interface Caller {
  role: Role
  /**
   * For `authenticated` with a `session_id`, the session must be alive (see {@link SessionEndedError}) and as sure of the
   * person as the account asks (see {@link SecondFactorMissingError}); with a `key_id`, that API key must be alive. With a `person`,
   * `member_role` must be their present role (see {@link MemberRoleError}).
   */
  claims?: Claims
  /** The one row a public look-up may see: `<relation>:<key>` (database/code/01_identity.sql, `app.lookup_key`). */
  lookup?: string | undefined
  /** Goes into the audit log beside an admin's action. */
  requestId?: string
  readOnly?: boolean
  /** `work` is one query, which goes out with begin and commit in one round trip. */
  isOneQuery?: boolean
  /** One plan does for all values: each connection plans a query once. Default: PostgreSQL decides. */
  hasGenericPlan?: boolean
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

/** The person has another role in the account that they act for than the door remembered. */
export class MemberRoleError extends Error {
  name = 'MemberRoleError'
  /** Undefined for somebody who is no member. */
  readonly role: string | undefined
  constructor(role: string | undefined) {
    super(`the role is ${role ?? 'none'}`)
    this.role = role
  }
}

export const defaultStatementTimeout = 5_000
/** A process that hangs inside a transaction must not hold its locks: the server ends the connection then. */
const idleInTransactionTimeoutMs = 10_000

interface Setting {
  text: string
  values: (string | null)[]
}

/**
 * The first statements of a transaction: role, claims and limits, and whether a person's token is still good. All settings end with
 * the transaction, so one without a value need not be set.
 */
export function settingsOf(caller: Caller): [Setting, ...Setting[]] {
  const { role, claims, lookup, requestId } = caller
  const timeout = Math.trunc(caller.statementTimeout ?? defaultStatementTimeout)
  const values: string[] = []
  let settings = `${setting('role', `'${role}'`)}, ${setting('statement_timeout', `'${timeout}'`)}`
  if (!caller.isOneQuery) settings += limitIdle
  if (caller.readOnly) settings += setReadOnly
  if (caller.hasGenericPlan) settings += keepPlan
  const add = (name: string, value: string | undefined) => {
    if (value) settings += `, ${setting(name, `$${values.push(value)}`)}`
  }
  if (claims) add('request.jwt.claims', JSON.stringify({ ...claims, role }))
  else settings += `, ${setting('request.jwt.claims', `'{"role":"${role}"}'`)}`
  add('hoplet.lookup', lookup)
  add('hoplet.request_id', requestId)
  // The condition is never true: an answer without a row costs less.
  const own = { text: `select where num_nulls(${settings}) < 0`, values }
  const question = sessionQuestion(caller)
  if (!question) return [own]
  const member = memberQuestion(caller)
  return member ? [own, question, member] : [own, question]
}

/** @param value an SQL expression */
const setting = (name: string, value: string) => `set_config('${name}', ${value}, true)`
const limitIdle = `, ${setting('idle_in_transaction_session_timeout', `'${idleInTransactionTimeoutMs}'`)}`
const setReadOnly = `, ${setting('transaction_read_only', `'on'`)}`
const keepPlan = `, ${setting('plan_cache_mode', `'force_generic_plan'`)}`

/** Undefined when nothing has to be asked. */
function sessionQuestion({ role, claims = {} }: Caller): Setting | undefined {
  const { session_id: session, key_id: key, sub, person = sub, aal } = claims
  if (role !== 'authenticated' || (session === undefined && key === undefined)) return undefined
  const id = key ?? session
  if (typeof id !== 'string' || typeof person !== 'string')
    throw new SessionEndedError('no session')
  if (key !== undefined)
    return {
      text: 'select auth.require_live(auth.api_key_status($1::uuid, $2::uuid))',
      values: [id, person],
    }
  return {
    text: 'select auth.require_live(auth.session_status($1::uuid, $2::uuid, $3))',
    values: [id, person, aal === 'aal1' ? 'aal1' : 'aal2'],
  }
}

/** Undefined for a person in their own account. */
function memberQuestion({ claims = {} }: Caller): Setting | undefined {
  const { sub, person, member_role: role } = claims
  if (person === undefined) return undefined
  if (typeof sub !== 'string' || typeof person !== 'string')
    throw new SessionEndedError('no member')
  return {
    text: 'select auth.require_member(auth.member_role($1::uuid, $2::uuid), $3)',
    values: [sub, person, typeof role === 'string' ? role : null],
  }
}

/** Error code of `auth.require_member`, with the present role as its hint. */
const otherRole = 'HP002'
/** Error code of `auth.require_live`. */
const notLive = 'HP001'

/** Turns a refusal of the first statement into the error that says why. */
export function throwEnded({ claims }: Caller) {
  return (error: unknown): never => {
    if (!(error instanceof pg.DatabaseError)) throw error
    if (error.code === otherRole) throw new MemberRoleError(error.hint || undefined)
    if (error.code !== notLive) throw error
    if (error.hint === 'first_factor')
      throw new SecondFactorMissingError('a second factor is needed')
    if (claims?.['key_id'] !== undefined)
      throw new ApiKeyEndedError('the API key was revoked or has expired')
    throw new SessionEndedError('the session of this token has ended')
  }
}
