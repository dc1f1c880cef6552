import { createHash } from 'node:crypto'
import type * as z from 'zod'
import type { OAuthScope } from '#domain/oauth-scopes.ts'
import type { Context } from '../context.ts'
import { BodyError, BodyTooLargeError, readJson } from '../http/body.ts'
import type { Caller } from '../http/door.ts'
import type { Transaction } from '../postgres/database.ts'
import type { AttemptGuard } from './attempts.ts'
import { authErrors } from './errors.ts'
import type { Session } from './sessions.ts'
import type { User } from './users.ts'

/** One request at the auth door, with all that a handler needs to answer it. */
export interface AuthCall {
  request: Request
  url: URL
  /** The named segments of the path. */
  params: Readonly<Record<string, string>>
  caller: Caller
  context: Context
  attempts: AttemptGuard
}

/** A call whose bearer token was good and whose session and account were alive a moment ago. */
export interface SignedInCall extends AuthCall {
  user: User
  /** What the app that holds the session may do; undefined for the person's own session. */
  scopes: ReadonlySet<OAuthScope> | undefined
  session: Pick<Session, 'id' | 'aal' | 'amr' | 'created_at'>
}

export type Handler = (call: AuthCall) => Promise<Response>

/** Runs `work` as the auth door's own role, in one transaction. */
export function transaction<T>(call: AuthCall, work: (db: Transaction) => Promise<T>): Promise<T> {
  return call.context.database.transactionAs({ role: 'hoplet_auth' }, work)
}

/** Only `application/json`: no form of a foreign page can send it without asking first. */
export function isJson(contentType: string): boolean {
  return /^application\/json *(;|$)/i.test(contentType)
}

/**
 * Reads and checks the JSON body. Only `application/json` is taken: what a foreign page's form can send is refused.
 *
 * @throws {AuthError} 400, 413 or 415
 */
export async function readBody<Shape extends z.ZodType>(
  { request }: AuthCall,
  shape: Shape,
): Promise<z.output<Shape>> {
  if (!isJson(request.headers.get('content-type') ?? '')) throw authErrors.notJson()
  let body: unknown
  try {
    body = await readJson(request)
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw authErrors.bodyTooLarge()
    if (error instanceof BodyError) throw authErrors.badJson(error.message)
    if (request.signal.aborted) throw authErrors.badJson('The request was broken off')
    throw error
  }
  const parsed = shape.safeParse(body)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw authErrors.invalid([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))
}

/** How the security log names an e-mail address: the same one is the same word, and nobody can read it. */
export function emailMark(email: string): string {
  return createHash('sha256').update(`hoplet ${email}`).digest('hex').slice(0, 16)
}

/**
 * Writes into the security log who did what from where, as a line and, a moment later, as a row (protection/
 * security-events.ts); never a secret, never an address in clear.
 */
export function audit(
  { caller, context, request }: AuthCall,
  event: string,
  facts: {
    user_id?: string | undefined
    session_id?: string | undefined
    account?: string
    [fact: string]: unknown
  },
): void {
  caller.log.info({ security: event, address: caller.address, ...facts }, event)
  const { user_id = null, session_id = null, ...more } = facts
  context.securityEvents.add({
    event,
    user_id,
    session_id,
    address: caller.address,
    user_agent: request.headers.get('user-agent'),
    facts: { ...more, request_id: caller.requestId },
  })
}
