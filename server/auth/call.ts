import { createHash } from 'node:crypto'
import type * as z from 'zod'
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
  session: Pick<Session, 'id' | 'aal' | 'amr' | 'created_at'>
}

export type Handler = (call: AuthCall) => Promise<Response>

/** Runs `work` as the auth door's own role, in one transaction. */
export function transaction<T>(call: AuthCall, work: (db: Transaction) => Promise<T>): Promise<T> {
  return call.context.database.transactionAs({ role: 'hoplet_auth' }, work)
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
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json *(;|$)/i.test(type)) throw authErrors.notJson()
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

/** Writes a line of the security log: who did what from where; never a secret, never an address in clear. */
export function audit(
  { caller }: AuthCall,
  event: string,
  facts: { user_id?: string; session_id?: string; account?: string; [fact: string]: unknown },
): void {
  caller.log.info({ security: event, address: caller.address, ...facts }, event)
}
