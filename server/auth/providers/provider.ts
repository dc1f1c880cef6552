import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import type { AuthError } from '../errors.ts'
import { redirectWith } from '../redirects.ts'
import type { SignInProviderSettings } from '../settings.ts'

/** Who a person is according to a provider. Only what the provider vouches for is trusted. */
export interface ProviderIdentity {
  issuer: string
  /** The issuer's id of the person, never reassigned. */
  subject: string
  /** Normalized. */
  email: string | undefined
  /** The same, if the provider vouches that email to it reaches this person. */
  vouchedEmail: string | undefined
  name: string | undefined
  userName: string | undefined
  picture: string | undefined
}

/** What we send along when a person leaves for a provider, and compare when they come back. */
interface ProviderRoundTrip {
  /** Our address that the provider redirects to. */
  callbackUrl: string
  state: string
  verifier: string
  nonce: string
}

/** A service that knows people and vouches for who they are. */
export interface SignInProvider {
  settings: SignInProviderSettings
  /** The provider's page to redirect to. @throws {SignInProviderError} `unavailable` */
  leave(
    trip: ProviderRoundTrip,
    more: { scopes: string; params: Record<string, string> },
  ): Promise<URL>
  /** Who came back, fully verified. @param query of the callback @throws {SignInProviderError} */
  identify(trip: ProviderRoundTrip, query: URLSearchParams): Promise<ProviderIdentity>
  /** Whom an id_token identifies, fully verified. @throws {SignInProviderError | IdTokenError} */
  readIdToken(token: IdToken): Promise<ProviderIdentity>
}

/** An id_token that a client got itself, with what belongs to it. */
export interface IdToken {
  idToken: string
  accessToken: string | undefined
  /** In plain text; the token contains its SHA-256 in hex. */
  nonce: string | undefined
}

/** A sign-in that failed at the provider. */
export class SignInProviderError extends Error {
  name = 'SignInProviderError'
  readonly reason: 'unavailable' | 'canceled' | 'refused' | 'invalid'
  constructor(reason: SignInProviderError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Why an id_token was refused, for the program that sent it. */
export class IdTokenError extends Error {
  name = 'IdTokenError'
}

/** Classifies failures between us and a provider. The message is for our log, without any token. */
export function asProviderError(error: unknown): SignInProviderError {
  if (error instanceof SignInProviderError) return error
  if (error instanceof AuthorizationResponseError) {
    const reason = error.error === 'access_denied' ? 'canceled' : 'refused'
    return new SignInProviderError(reason, `authorization: ${error.error}`)
  }
  if (error instanceof ResponseBodyError) {
    const reason = error.status >= 500 ? 'unavailable' : 'refused'
    return new SignInProviderError(reason, `token endpoint: ${error.status} ${error.error}`)
  }
  if (!(error instanceof Error)) return new SignInProviderError('invalid', 'unknown error')
  const code = 'code' in error ? String(error.code) : ''
  return new SignInProviderError(
    isOutage(error) ? 'unavailable' : 'invalid',
    `${code} ${error.message}`,
  )
}

/** No response, a late one, or a 5xx. */
function isOutage(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  if (/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|UND_ERR|OAUTH_TIMEOUT|OAUTH_ABORT)/.test(code)) return true
  if (error.name === 'TimeoutError' || error.message === 'fetch failed') return true
  const { cause } = error
  if (cause instanceof Response) return cause.status >= 500
  return cause instanceof Error && isOutage(cause)
}

/** For a person whom the provider `name` did not sign in. */
export function failureWords(reason: SignInProviderError['reason'], name: string): string {
  return {
    unavailable: `${name} does not answer right now. Please try again later.`,
    canceled: `The sign-in with ${name} was canceled.`,
    refused: `${name} refused the sign-in. Please try again.`,
    invalid: `The answer of ${name} could not be verified. Please try again.`,
  }[reason]
}

const oauthCodes = {
  unavailable: 'temporarily_unavailable',
  canceled: 'access_denied',
  refused: 'server_error',
  invalid: 'server_error',
}

/** The provider's error as the parameters that clients read from the address. */
export function providerFailure(
  { reason }: SignInProviderError,
  name: string,
): Record<string, string> {
  return {
    error: oauthCodes[reason],
    error_code: reason === 'canceled' ? 'access_denied' : 'unexpected_failure',
    error_description: failureWords(reason, name),
  }
}

/** Our error as these parameters. */
export function failureOf(error: AuthError): Record<string, string> {
  const isDenial = ['user_banned', 'signup_disabled', 'otp_expired'].includes(error.code)
  return {
    error: isDenial ? 'access_denied' : error.status >= 500 ? 'server_error' : 'invalid_request',
    error_code: error.code,
    error_description: error.message,
  }
}

/** Redirects to where the sign-in began. PKCE clients read the query, others the fragment. */
export function redirectFailed(redirectTo: string, facts: Record<string, string>): Response {
  return redirectWith(redirectTo, { query: facts, fragment: facts }, 302)
}
