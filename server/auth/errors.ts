import catalogue from './errors.json' with { type: 'json' }

interface ErrorExtras {
  /** Seconds, for 429 and 503. */
  retryAfter?: number
  /** More fields of the body, such as `weak_password`. */
  details?: Record<string, unknown>
  /** More headers, such as `WWW-Authenticate`. */
  headers?: Record<string, string>
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

type FixedError = keyof typeof catalogue

const fixed = Object.fromEntries(
  Object.entries(catalogue).map(([name, { status, code, message }]) => [
    name,
    () => new AuthError(status, code, message),
  ]),
) as Record<FixedError, () => AuthError>

/**
 * Every error of the auth door: in errors.json those that always say the same, below those that depend on the case.
 * Codes, statuses and most texts are GoTrue's (internal/api/apierrors/errorcode.go), because the official clients depend
 * on them.
 */
export const authErrors = {
  ...fixed,
  badJson: (why: string) => new AuthError(400, 'bad_json', why),
  invalid: (why: string) => new AuthError(400, 'validation_failed', why),
  methodNotAllowed: (allow: string) =>
    new AuthError(405, 'method_not_allowed', 'Method not allowed here', {
      headers: { Allow: allow },
    }),

  badToken: (why: string) => new AuthError(403, 'bad_jwt', `invalid JWT: ${why}`),
  oauthClientNotFound: (status: 400 | 404 = 400) =>
    new AuthError(status, 'oauth_client_not_found', 'OAuth client not found'),
  insufficientAal: (
    status: 401 | 403 | 422 = 403,
    message = 'A second factor is needed: AAL2 session is required',
  ) => new AuthError(status, 'insufficient_aal', message),
  userBanned: (status: 400 | 403) => new AuthError(status, 'user_banned', 'User is banned'),

  factorNameTaken: (name: string) => {
    const message = `A factor with the friendly name "${name}" for this user already exists`
    return new AuthError(422, 'mfa_factor_name_conflict', message)
  },
  factorRefused: (message: string) => new AuthError(422, 'mfa_verification_failed', message),
  challengeExpired: (id: string) => {
    const message = `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`
    return new AuthError(422, 'mfa_challenge_expired', message)
  },
  captchaFailed: (why: string) =>
    new AuthError(400, 'captcha_failed', `captcha protection: request disallowed (${why})`),
  providerFailed: (why: string) => new AuthError(422, 'unexpected_failure', why),
  issuerChanged: (name: string) => {
    const message = `${name} is not the provider that this sign-in belongs to. Please tell the operator of this site.`
    return new AuthError(422, 'unexpected_failure', message)
  },

  weakPassword: (minLength: number) =>
    new AuthError(422, 'weak_password', `Password should be at least ${minLength} characters.`, {
      details: { weak_password: { reasons: ['length'] } },
    }),
  commonPassword: () => {
    const message = 'Password is known to be weak and easy to guess, please choose a different one.'
    const details = { weak_password: { reasons: ['pwned'] } }
    return new AuthError(422, 'weak_password', message, { details })
  },

  tooManyRequests: (wait: number) =>
    tooSoon('over_request_rate_limit', 'Request rate limit reached', wait),
  tooManyAttempts: (wait: number) => {
    const message = `Too many sign-in attempts for this account. Please try again in ${seconds(wait)}.`
    return tooSoon('over_request_rate_limit', message, wait)
  },
  mailsUsedUp: (wait: number) =>
    tooSoon('over_email_send_rate_limit', 'email rate limit exceeded', wait),
  /** @param what for example `another sign-in email` */
  mailTooSoon: (what: string, wait: number) =>
    tooSoon('over_email_send_rate_limit', onlyAfter(what, wait), wait),
  smsTooSoon: (wait: number) =>
    tooSoon('over_sms_send_rate_limit', onlyAfter('another code by text message', wait), wait),
  databaseUnavailable: () =>
    new AuthError(503, 'database_unavailable', 'The service is not available right now', {
      retryAfter: 5,
    }),
}

function tooSoon(code: string, message: string, retryAfter: number): AuthError {
  return new AuthError(429, code, message, { retryAfter })
}

function onlyAfter(what: string, wait: number): string {
  return `For security purposes, you can only request ${what} after ${seconds(wait)}.`
}

function seconds(wait: number): string {
  return `${wait} ${wait === 1 ? 'second' : 'seconds'}`
}

/** The errors that apps get, in the words of RFC 6749 5.2, 7009, 7591 and 8707. */
export const oauthErrors = {
  invalidRequest: (why: string) => new OAuthError(400, 'invalid_request', why),
  interactionRequired: () =>
    new OAuthError(
      400,
      'interaction_required',
      'Only the person can answer: prompt=none is not served',
    ),
  invalidClient: () =>
    new OAuthError(401, 'invalid_client', 'No such app, or not its secret', {
      headers: { 'WWW-Authenticate': 'Basic realm="oauth"' },
    }),
  invalidGrant: (why: string) => new OAuthError(400, 'invalid_grant', why),
  invalidScope: (why: string) => new OAuthError(400, 'invalid_scope', why),
  invalidTarget: () =>
    new OAuthError(400, 'invalid_target', 'resource must be an address of this server'),
  unauthorizedClient: () =>
    new OAuthError(400, 'unauthorized_client', 'The app is not registered for this grant type'),
  unsupportedGrantType: () =>
    new OAuthError(
      400,
      'unsupported_grant_type',
      'grant_type must be authorization_code or refresh_token',
    ),
  invalidRedirectUri: (why: string) => new OAuthError(400, 'invalid_redirect_uri', why),
  invalidClientMetadata: (why: string) => new OAuthError(400, 'invalid_client_metadata', why),
  /** RFC 6750 3: what a resource answers to a token that is not good, or not for this. */
  invalidToken: (why: string) =>
    new OAuthError(401, 'invalid_token', why, {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    }),
  insufficientScope: (scope: string) =>
    new OAuthError(403, 'insufficient_scope', `The app was not allowed ${scope}`, {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    }),
}
