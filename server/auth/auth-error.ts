/** An answer that tells a person or a program what was wrong: status, stable code, public text. */
export class AuthError extends Error {
  name = 'AuthError'
  readonly status: number
  readonly code: string
  /** Seconds, for 429 and 503. */
  readonly retryAfter: number | undefined
  /** Further fields of the body, such as `weak_password`. */
  readonly details: Record<string, unknown>
  /** Further headers, such as `WWW-Authenticate`. */
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

/** An error in the words of OAuth 2 (RFC 6749 5.2): the id_token grant and the OAuth server answer with these. */
export class OAuthError extends AuthError {
  name = 'OAuthError'
}

const versionHeader = 'X-Supabase-Api-Version'
const version = '2024-01-01'

/**
 * Words an error for the client that asked: `{code, message}` with the version header echoed for clients that send
 * it, else the older `{code: status, error_code, msg}`.
 */
export function errorResponse(error: AuthError, request: Request): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store', ...error.headers })
  if (error.retryAfter !== undefined) headers.set('Retry-After', String(error.retryAfter))
  const asked = request.headers.get(versionHeader) ?? ''
  const modern = /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= version
  if (modern) headers.set(versionHeader, version)
  if (error instanceof OAuthError) {
    const body = { error: error.code, error_description: error.message }
    return Response.json(body, { status: error.status, headers })
  }
  const body = modern
    ? { code: error.code, message: error.message, ...error.details }
    : { code: error.status, error_code: error.code, msg: error.message, ...error.details }
  return Response.json(body, { status: error.status, headers })
}
