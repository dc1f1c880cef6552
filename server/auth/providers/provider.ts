import type { SpaceRole } from '#domain/access/space-roles.ts'
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import { errorCode } from '../../primitives/error-code.ts'
import { AuthError, SignInProviderError } from '../errors.ts'
import type { SignInProviderSettings } from '../../env-providers.ts'
import { errorMessage, matchError, toError } from '../../primitives/caught-error.ts'

/** A space and a role there, as a claim names them. */
export interface ClaimedSpace {
  slug: string
  role: SpaceRole
}

/** A person's identity according to a provider. Only verified facts are trusted. */
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
  /** Whether the provider's admin claim makes them an admin; undefined where none is set. */
  isAdmin: boolean | undefined
  /** Spaces by the provider's claim about them; undefined where none is set. */
  spaces?: readonly ClaimedSpace[] | undefined
}

/** Values sent along when a person leaves for a provider, and compared when they come back. */
interface ProviderRoundTrip {
  /** Our address that the provider redirects to. */
  callbackUrl: string
  state: string
  verifier: string
  nonce: string
}

/** A service that vouches for the identity of people. */
export interface SignInProvider {
  settings: SignInProviderSettings
  /** Whether it answers at this moment. */
  isReachable(): Promise<boolean>
  /** The provider's page to redirect to. @throws {SignInProviderError} `unavailable` */
  leave(
    trip: ProviderRoundTrip,
    more: { scopes: string; params: Record<string, string> },
  ): Promise<URL>
  /** The identity of the person who came back, fully verified. @param query of the callback @throws {SignInProviderError} */
  identify(trip: ProviderRoundTrip, query: URLSearchParams): Promise<ProviderIdentity>
  /** Only for OpenID Connect: the identity in an id_token, fully verified. @throws {SignInProviderError | OAuthError} */
  readIdToken?(token: IdToken): Promise<ProviderIdentity>
}

/** An id_token that a client got itself, with its nonce and access token. */
export interface IdToken {
  id_token: string
  access_token?: string | null | undefined
  /** In plain text; the token contains its SHA-256 in hex. */
  nonce?: string | null | undefined
}

/** Classifies failures between us and a provider. */
export function asProviderError(error: unknown, settings: SignInProviderSettings): AuthError {
  const failure = (reason: SignInProviderError['reason'], why: string) =>
    new SignInProviderError(reason, settings, why, error)
  const known: AuthError | undefined = matchError(
    error,
    [AuthError, (refusal) => refusal],
    [
      AuthorizationResponseError,
      ({ error: code }) =>
        failure(code === 'access_denied' ? 'canceled' : 'refused', `authorization: ${code}`),
    ],
    [
      ResponseBodyError,
      ({ status, error: code }) =>
        failure(status >= 500 ? 'unavailable' : 'refused', `token endpoint: ${status} ${code}`),
    ],
  )
  if (known) return known
  const reason = isOutage(toError(error)) ? 'unavailable' : 'invalid'
  return failure(reason, `${errorCode(error) ?? ''} ${errorMessage(error)}`)
}

/** No response, a late one, or a 5xx. */
function isOutage(error: Error): boolean {
  const code = errorCode(error) ?? ''
  if (/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|UND_ERR|OAUTH_TIMEOUT|OAUTH_ABORT)/.test(code)) return true
  if (error.name === 'TimeoutError' || error.message === 'fetch failed') return true
  const { cause } = error
  // The class Response may be that of node-server, and this one is of fetch.
  if (typeof cause === 'object' && cause !== null && 'status' in cause)
    return Number(cause.status) >= 500
  return cause instanceof Error && isOutage(cause)
}
