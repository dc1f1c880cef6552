import { BodyError } from './body.ts'
import {
  ApiKeyEndedError,
  MemberRoleError,
  SecondFactorMissingError,
  SessionEndedError,
} from '../postgres/begin.ts'
import { StorageError } from '../media/store.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import { ForeignAccountError, roleRefusal, TokenError } from '../tokens/tokens.ts'
import { type DoorRoute, createRouter, type HttpCall } from './router.ts'
import { matchError } from '../primitives/caught-error.ts'

/** A refusal that is answered with `{error}`. */
export class HttpError extends Error {
  name = 'HttpError'
  readonly status: number
  /** More headers, such as `Retry-After` and `Allow`. */
  readonly headers: Record<string, string>
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

const retryAfter = (seconds: number) => ({ 'Retry-After': String(seconds) })
const challenge = { 'WWW-Authenticate': 'Bearer' }

/** Every error of the areas that answer `{error}`: functions, media and reports. */
export const httpErrors = {
  notForApps: () => new HttpError(403, 'An app may not do this; sign in yourself'),
  insufficientScope: (scope: string) =>
    new HttpError(403, `This app or API key was not allowed ${scope}`, {
      'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
    }),
  notForRole: () => new HttpError(403, roleRefusal),
  foreignAccount: () => new HttpError(403, 'You are not a member of this account'),
  noToken: () => new HttpError(401, 'No access token', challenge),
  badToken: () => new HttpError(401, 'Invalid access token', challenge),
  secondFactorMissing: () => new HttpError(403, 'A second factor is needed'),
  sessionEnded: () => new HttpError(401, 'This session has ended', challenge),
  forbidden: () => new HttpError(403, 'Only admins may do this'),
  notFound: () => new HttpError(404, 'Not found'),
  methodNotAllowed: (allow: string) =>
    new HttpError(405, 'Method not allowed here', { Allow: allow }),
  foreignOrigin: () => new HttpError(403, 'Only a page of this site may send this'),
  notAForm: () => new HttpError(415, 'Content-Type must be application/x-www-form-urlencoded'),
  tooManyRequests: (seconds: number) =>
    new HttpError(429, 'Too many requests. Please try again later.', retryAfter(seconds)),
  unavailable: (seconds = 5) =>
    new HttpError(503, 'The service is not available right now', retryAfter(seconds)),
}

/** @returns undefined for the unexpected */
export function toHttpError(error: unknown): HttpError | undefined {
  return matchError(
    error,
    [HttpError, (known) => known],
    [TokenError, httpErrors.badToken],
    [ForeignAccountError, httpErrors.foreignAccount],
    [MemberRoleError, httpErrors.foreignAccount],
    [ApiKeyEndedError, httpErrors.badToken],
    [SessionEndedError, httpErrors.sessionEnded],
    [SecondFactorMissingError, httpErrors.secondFactorMissing],
    [BodyError, ({ status, message }) => new HttpError(status, message)],
    [DatabaseUnavailableError, () => httpErrors.unavailable()],
    [StorageError, () => httpErrors.unavailable()],
  )
}

function errorResponse({ status, message, headers }: HttpError): Response {
  return Response.json(
    { error: message },
    { status, headers: { 'Cache-Control': 'no-store', ...headers } },
  )
}

/**
 * The app of an area that answers `{error}`.
 *
 * @param toKnown maps a failure in this area, before the general mapping
 */
export function createErrorRouter<Deps>(
  routes: readonly DoorRoute<HttpCall & { deps: Deps }>[],
  deps: Deps,
  toKnown?: (error: unknown, call: HttpCall) => Response | HttpError | undefined,
) {
  return createRouter({
    routes,
    toCall: (call) => ({ ...call, deps }),
    notFound: httpErrors.notFound,
    methodNotAllowed: httpErrors.methodNotAllowed,
    toResponse(error, call) {
      const known = toKnown?.(error, call) ?? toHttpError(error)
      if (!(known instanceof HttpError)) return known
      if (known.status >= 500) call.info.log.warn({ err: error }, 'request failed temporarily')
      return errorResponse(known)
    },
  })
}
