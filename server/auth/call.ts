import type * as z from 'zod'
import type { Context } from '../context.ts'
import { BodyError, readJsonAs, readText } from '../http/body.ts'
import { type Guard, type HttpCall, routesWith } from '../http/router.ts'
import type { Transaction } from '../postgres/database.ts'
import { authErrors } from './errors.ts'
import { ifError, replaceError } from '../primitives/caught-error.ts'

/** Parts of the server that the auth door needs. */
export type AuthDeps = Pick<
  Context,
  | 'config'
  | 'database'
  | 'tokens'
  | 'rateLimits'
  | 'budgets'
  | 'guesses'
  | 'hasher'
  | 'providers'
  | 'secretBox'
  | 'securityEvents'
  | 'mail'
  | 'exports'
  | 'getPublic'
>

/** One request to the auth door. */
export interface AuthCall extends HttpCall {
  deps: AuthDeps
}

export type AuthGuard<Added extends object = object> = Guard<AuthCall, Added>

/** Writes one line of the auth door's route table. */
export const authRoute = routesWith<AuthCall>()

/** No form of the protocol is larger. */
export const maxFormBytes = 16 * 1_024

/** Runs `work` as the auth door's own database role, in one transaction. */
export function transaction<T>(
  { deps }: Pick<AuthCall, 'deps'>,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  return deps.database.transactionAs({ role: 'hoplet_auth' }, work)
}

/**
 * Reads and checks the JSON body. Only `application/json` is accepted: a form on another site cannot send it.
 *
 * @throws {AuthError} 400, 413 or 415
 */
export function readBody<Shape extends z.ZodType>(
  { request }: Pick<AuthCall, 'request'>,
  shape: Shape,
): Promise<z.output<Shape>> {
  return readJsonAs(request, shape).catch(
    replaceError(BodyError, (error) => bodyRefusals[error.status](error)),
  )
}

/** Like {@link readBody}; undefined for a request without a body. */
export async function readOptionalBody<Shape extends z.ZodType>(
  call: Pick<AuthCall, 'request'>,
  shape: Shape,
): Promise<z.output<Shape> | undefined> {
  return call.request.headers.has('content-type') ? readBody(call, shape) : undefined
}

/** Like {@link readBody}, about an account: those have no phone numbers here. @throws {AuthError} 400 phone_provider_disabled */
export async function readAccountBody<
  Shape extends z.ZodType<{ phone?: string | null | undefined }>,
>(call: Pick<AuthCall, 'request'>, shape: Shape): Promise<z.output<Shape>> {
  const input = await readBody(call, shape)
  if (input.phone) throw authErrors.phoneDisabled()
  return input
}

const bodyRefusals = {
  400: ({ field, message }: BodyError) =>
    field === undefined
      ? authErrors.badJson(message)
      : authErrors.invalid([field, message].filter(Boolean).join(': ')),
  413: authErrors.bodyTooLarge,
  415: authErrors.notJson,
}

/** Reads the fields of a form: none when they cannot be read. */
export async function readFormFields({
  request,
}: Pick<AuthCall, 'request'>): Promise<URLSearchParams> {
  return new URLSearchParams(
    await readText(request, maxFormBytes).catch(ifError(BodyError, () => '')),
  )
}
