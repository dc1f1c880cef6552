import { constantTimeEqual } from '../../primitives/constant-time.ts'
import { sha256 } from '../../primitives/sha256.ts'
import { createHash } from 'node:crypto'
import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { oauthErrors, SignInProviderError } from '../errors.ts'
import type { SignInProviderSettings } from '../../env-providers.ts'
import type { IdToken } from './provider.ts'

interface ExpectedIdToken {
  keys: JWTVerifyGetKey
  issuer: string
  /** Their client ids are accepted as `aud` and `azp`. */
  settings: SignInProviderSettings
  skewSeconds: number
}

/** The accepted signature algorithms: asymmetric only. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

/**
 * Verifies an id_token from a client: signature, issuer, audience, times, nonce and at_hash (OpenID Connect Core
 * 3.1.3.7 and 3.2.2.9).
 *
 * @throws {OAuthError} for an invalid token
 * @throws {SignInProviderError} `unavailable` when the provider's keys are unavailable
 */
export async function checkIdToken(
  token: IdToken,
  expected: ExpectedIdToken,
): Promise<JWTPayload & { iss: string; sub: string }> {
  const claims = await verify(token.id_token, expected)
  const { sub, azp } = claims
  if (isAhead(claims, expected.skewSeconds)) throw oauthErrors.invalidRequest('Bad ID token')
  if (typeof sub !== 'string') throw oauthErrors.invalidRequest('ID token has no subject')
  if (azp !== undefined || (Array.isArray(claims.aud) && claims.aud.length > 1)) {
    if (typeof azp !== 'string' || !expected.settings.clientIds.includes(azp))
      throw oauthErrors.invalidRequest('Unacceptable authorized party in id_token')
  }
  checkNonce(token.nonce || undefined, claims['nonce'])
  checkAccessToken(token, claims['at_hash'])
  return { ...claims, iss: expected.issuer, sub }
}

/** Whether a token was issued in the future, which no library checks. */
export function isAhead({ iat }: { iat?: number | undefined }, skewSeconds: number): boolean {
  return iat !== undefined && iat > Date.now() / 1000 + skewSeconds
}

async function verify(idToken: string, expected: ExpectedIdToken): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(idToken, expected.keys, {
      issuer: expected.issuer,
      audience: expected.settings.clientIds,
      algorithms,
      clockTolerance: expected.skewSeconds,
      requiredClaims: ['sub', 'exp', 'iat'],
    })
    return payload
  } catch (error) {
    if (isOfKeys(error))
      throw new SignInProviderError('unavailable', expected.settings, 'no keys', error)
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud')
      throw oauthErrors.invalidRequest('Unacceptable audience in id_token')
    throw oauthErrors.invalidRequest('Bad ID token')
  }
}

/** Whether the provider's keys could not be read, which says nothing about the token. */
function isOfKeys(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true
  // jose has no separate class for an answer other than 200, or without JSON.
  if (error.code === 'ERR_JOSE_GENERIC') return true
  return error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid
}

/** The client keeps the nonce and has the provider sign its hash, so that a stolen token is useless. */
function checkNonce(clear: string | undefined, signed: unknown): void {
  if ((clear === undefined) !== (signed === undefined || signed === ''))
    throw oauthErrors.invalidRequest(
      'Passed nonce and nonce in id_token should either both exist or not.',
    )
  if (clear === undefined) return
  const hash = sha256(clear).toString('hex')
  if (typeof signed !== 'string' || !constantTimeEqual(signed, hash))
    throw oauthErrors.invalidRequest('Nonces mismatch')
}

/** at_hash is the left half of the access token's hash, with the hash of the id_token's algorithm. */
function checkAccessToken(
  { id_token: idToken, access_token: accessToken }: IdToken,
  signed: unknown,
): void {
  if (signed === undefined) return
  if (accessToken == null || typeof signed !== 'string')
    throw oauthErrors.invalidRequest(
      'The id_token has an at_hash: the access_token it speaks of is needed',
    )
  const [, bits = '512'] = /^[RPE]S(\d+)$/.exec(decodeProtectedHeader(idToken).alg ?? '') ?? []
  const whole = createHash(`sha${bits}`).update(accessToken).digest()
  const half = whole.subarray(0, whole.length / 2).toString('base64url')
  if (!constantTimeEqual(signed, half))
    throw oauthErrors.invalidRequest('at_hash does not match the access_token')
}
