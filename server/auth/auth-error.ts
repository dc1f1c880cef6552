/** A refusal for a person or a program: status, stable code, public text. */
export class AuthError extends Error {
  name = 'AuthError'
  readonly status: number
  readonly code: string
  /** Seconds, for 429 and 503. */
  readonly retryAfter: number | undefined
  /** More fields of the body, such as `weak_password`. */
  readonly details: Record<string, unknown>
  /** More headers, such as `WWW-Authenticate`. */
  readonly headers: Record<string, string>
  constructor(
    status: number,
    code: string,
    message: string,
    more: {
      retryAfter?: number
      details?: Record<string, unknown>
      headers?: Record<string, string>
    } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfter = more.retryAfter
    this.details = more.details ?? {}
    this.headers = more.headers ?? {}
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
  const headers = new Headers({ 'Cache-Control': 'no-store', ...error.headers })
  if (error.retryAfter !== undefined) headers.set('Retry-After', String(error.retryAfter))
  const asked = request.headers.get(versionHeader) ?? ''
  const modern = /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= apiVersion
  if (modern) headers.set(versionHeader, apiVersion)
  if (error instanceof OAuthError) {
    const body = { error: error.code, error_description: error.message }
    return Response.json(body, { status: error.status, headers })
  }
  const body = modern
    ? { code: error.code, message: error.message, ...error.details }
    : { code: error.status, error_code: error.code, msg: error.message, ...error.details }
  return Response.json(body, { status: error.status, headers })
}
