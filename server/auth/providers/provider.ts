import type { SignInProviderSettings } from '../settings.ts'

/** Who a person is according to a provider. Only what the provider vouches for is trusted. */
export interface ProviderIdentity {
  issuer: string
  /** The issuer's id of the person, never reassigned. */
  subject: string
  /** Normalized. */
  email: string | undefined
  /** Whether the provider vouches that email to `email` reaches this person. */
  isEmailVerified: boolean
  name: string | undefined
  userName: string | undefined
  picture: string | undefined
}

/** What we send along when a person leaves for a provider, and compare when they come back. */
export interface ProviderRoundTrip {
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
  /** Whom an id_token identifies, fully verified; absent for providers without id_tokens. @throws {SignInProviderError | IdTokenError} */
  readIdToken?(token: IdToken): Promise<ProviderIdentity>
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
