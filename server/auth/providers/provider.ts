import type { ProviderIdentity } from './claims.ts'

interface SharedSettings {
  /** As clients name it, for example `google`. */
  id: string
  /** As people read it, for example `Google`. */
  name: string
  /** The first is ours for signing in here; id_tokens made for any of them are taken. */
  clientIds: string[]
  clientSecret: string
  /** Apart by blanks. */
  scopes: string
}

/** A way in that the operator has set up (server/env-providers.ts). */
export type ProviderSettings = SharedSettings &
  (
    | { kind: 'openid'; issuer: string; clientAuth: 'basic' | 'post' | undefined }
    | { kind: 'github'; url: string }
  )

/** What we send along with somebody, and compare when they come back. */
export interface Trip {
  /** Our address that the provider sends them back to. */
  callbackUrl: string
  state: string
  verifier: string
  nonce: string
}

/** Somebody else who knows people, and vouches for them. */
export interface Provider {
  settings: ProviderSettings
  /** The provider's page to send somebody to. @throws {ProviderError} `unavailable` */
  leave(trip: Trip, more: { scopes: string; params: Record<string, string> }): Promise<URL>
  /** Who came back, fully checked. @param query of the callback @throws {ProviderError} */
  identify(trip: Trip, query: URLSearchParams): Promise<ProviderIdentity>
  /** Who an id_token speaks of, fully checked; absent where there are none. @throws {ProviderError | IdTokenError} */
  readIdToken?(token: IdToken): Promise<ProviderIdentity>
}

/** An id_token that a client got by itself, with what belongs to it. */
export interface IdToken {
  idToken: string
  accessToken: string | undefined
  /** In clear; the token has its SHA-256 in hex. */
  nonce: string | undefined
}

/** A sign-in that failed at the provider. */
export class ProviderError extends Error {
  name = 'ProviderError'
  readonly reason: 'unavailable' | 'cancelled' | 'refused' | 'invalid'
  constructor(reason: ProviderError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Why an id_token was refused, in words for the program that sent it. */
export class IdTokenError extends Error {
  name = 'IdTokenError'
}
