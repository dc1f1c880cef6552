import { errorsOf } from '../http/error-catalog.ts'
import catalogue from './errors.json' with { type: 'json' }
import { plural } from '../primitives/plural.ts'

interface ErrorExtras {
  /** Seconds, for 429 and 503. */
  retryAfter?: number
  /** More fields of the body, such as `weak_password`. */
  details?: Record<string, unknown>
  /** More headers, such as `WWW-Authenticate`. */
  headers?: Record<string, string>
  /** Its code in a redirect (RFC 6749 4.1.2.1); else `invalid_request`. */
  oauthError?: string
}

/** A refusal for a person or a program: status, stable code, public text. */
export class AuthError extends Error {
  name = 'AuthError'
  readonly status: number
  readonly code: string
  readonly more: ErrorExtras
  constructor(status: number, code: string, message: string, more: ErrorExtras = {}) {
    super(message)
    this.status = status
    this.code = code
    this.more = more
  }
}

/** An error in the format of OAuth 2 (RFC 6749 5.2), for the id_token grant and the OAuth server. */
export class OAuthError extends AuthError {
  name = 'OAuthError'
}

const versionHeader = 'X-Supabase-Api-Version'
const apiVersion = '2024-01-01'

/**
 * `{code, message}`, with the version header echoed, for clients that send it; for others the older
 * `{code: status, error_code, msg}`.
 */
export function authErrorResponse(error: AuthError, request: Request): Response {
  const { status, code, message, more } = error
  const headers = new Headers(more.headers)
  if (more.retryAfter !== undefined) headers.set('Retry-After', String(more.retryAfter))
  const asked = request.headers.get(versionHeader) ?? ''
  const modern = /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= apiVersion
  if (modern) headers.set(versionHeader, apiVersion)
  if (error instanceof OAuthError)
    return Response.json({ error: code, error_description: message }, { status, headers })
  const body = modern ? { code, message } : { code: status, error_code: code, msg: message }
  return Response.json({ ...body, ...more.details }, { status, headers })
}

/** A sign-in that failed at a provider. */
export class SignInProviderError extends AuthError {
  name = 'SignInProviderError'
  readonly reason: keyof typeof catalogue.provider
  /** For our log, without any token. */
  readonly why: string
  constructor(
    reason: SignInProviderError['reason'],
    provider: { name: string },
    why: string,
    cause?: unknown,
  ) {
    const { status, code, message, oauthError } = catalogue.provider[reason]
    const text = message.replace('{0}', () => provider.name)
    super(status, code, text, { oauthError })
    this.reason = reason
    this.why = why
    this.cause = cause
  }
}

interface Entry extends ErrorExtras {
  status: number
  code: string
  message: string
}

const { auth, authAbout, oauth, oauthAbout } = catalogue
const make =
  (Kind: typeof AuthError) =>
  ({ status, code, message, ...more }: Entry) =>
    new Kind(status, code, message, more)

/**
 * Every error of the auth door: most in errors.json, below those with a wait that depends on the case. Codes, statuses and most
 * texts are GoTrue's (internal/api/apierrors/errorcode.go), because the official clients depend on them.
 */
export const authErrors = {
  ...errorsOf<typeof auth, [], AuthError>(auth, make(AuthError)),
  ...errorsOf<typeof authAbout, [about: string | number], AuthError>(authAbout, make(AuthError)),

  tooManyRequests: (wait: number) =>
    tooSoon('over_request_rate_limit', 'Request rate limit reached', wait),
  tooManyAttempts: (wait: number) => {
    const message = `Too many sign-in attempts for this account. Please try again in ${plural(wait, 'second')}.`
    return tooSoon('over_request_rate_limit', message, wait)
  },
  mailsUsedUp: (wait: number) =>
    tooSoon('over_email_send_rate_limit', 'email rate limit exceeded', wait),
  /** @param what for example `another sign-in email` */
  mailTooSoon: (what: string, wait: number) =>
    tooSoon('over_email_send_rate_limit', onlyAfter(what, wait), wait),
  smsTooSoon: (wait: number) =>
    tooSoon('over_sms_send_rate_limit', onlyAfter('another code by text message', wait), wait),
}

function tooSoon(code: string, message: string, retryAfter: number): AuthError {
  return new AuthError(429, code, message, { retryAfter })
}

function onlyAfter(what: string, wait: number): string {
  return `For security purposes, you can only request ${what} after ${plural(wait, 'second')}.`
}

/** The errors that apps get, in the words of RFC 6749 5.2, 6750 3, 7009, 7591 and 8707. */
export const oauthErrors = {
  ...errorsOf<typeof oauth, [], AuthError>(oauth, make(OAuthError)),
  ...errorsOf<typeof oauthAbout, [about: string], AuthError>(oauthAbout, make(OAuthError)),
}
