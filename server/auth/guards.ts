import { setTimeout as sleep } from 'node:timers/promises'
import { limitKey } from '../http/client-address.ts'
import { TokenError } from '../tokens/tokens.ts'
import type { AuthError } from './auth-error.ts'
import type { AuthCall, AuthGuard } from './call.ts'
import { authErrors } from './errors.ts'
import { type LimitName, policies } from './limits.ts'
import { HasherBusyError } from './password-hasher.ts'

/** Counts the request against the client's address, for all servers on one database together. @throws {AuthError} 429 */
export function limit(name: LimitName): AuthGuard {
  return (call) => countRequest(call, name)
}

/** For a handler that counts the request in a transaction of its own: this process's count alone. @throws {AuthError} 429 */
export function limitHere(name: LimitName): AuthGuard {
  return ({ deps, info }) => {
    const wait = deps.budgets.takeHere(policies[name], limitKey(info.address))
    if (wait !== undefined) throw authErrors.tooManyRequests(wait)
  }
}

/** @throws {AuthError} 429 when the client's address has no request left */
export async function countRequest({ deps, info }: AuthCall, name: LimitName): Promise<void> {
  const wait = await deps.budgets.take(policies[name], limitKey(info.address))
  if (wait !== undefined) throw authErrors.tooManyRequests(wait)
}

/**
 * Delays every answer until `durationMs` have passed, so that its time does not tell whether an address has an account.
 * The duration must be several times what the handler takes; bench/auth.ts measures it.
 */
export function steadyTime(durationMs: number): AuthGuard {
  return () => {
    const minimum = sleep(durationMs)
    return { beforeAnswer: () => minimum }
  }
}

/** Long enough for a mail to be queued, or a code to be compared. */
export const mailWorkMs = 100

/**
 * Covers the two password hashes of a sign-up as well. Where accounts open without confirmation the answer says whether
 * the address is taken, so there is nothing to hide.
 */
export const steadySignUp: AuthGuard = (call) =>
  call.deps.config.auth.autoconfirm ? undefined : steadyTime(400)(call)

/**
 * Takes one of the places for requests that hash a password, until the answer. Without it a crowd would use up the
 * database connections before the hasher's queue is full.
 *
 * @throws {AuthError} 429
 */
export const hashingPlace: AuthGuard = ({ deps }) => {
  const release = deps.hasher.reserve()
  if (!release) throw new HasherBusyError('too many requests hash passwords')
  return { beforeAnswer: release }
}

/** For the operator's own programs, which hold the API key of role `service_role`. @throws {AuthError} 401 or 403 */
export const serviceOnly: AuthGuard = async ({ deps, request }) => {
  const token = bearerToken(request)
  if (token === undefined) throw authErrors.noAuthorization()
  const identity = await deps.tokens.verify(token).catch((error: unknown) => {
    if (!(error instanceof TokenError)) throw error
    throw authErrors.badToken(`unable to parse or verify signature, ${error.message}`)
  })
  if (identity.role !== 'service_role') throw authErrors.notAdmin()
}

/** A handler for what the protocol has and this server does not, so that clients get the protocol's error code. */
export function refuse(error: () => AuthError): () => Promise<Response> {
  return () => Promise.reject(error())
}

export function bearerToken({ headers }: Pick<Request, 'headers'>): string | undefined {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}
