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
import { type IdToken, IdTokenError, SignInProviderError } from './provider.ts'

interface ExpectedIdToken {
  keys: JWTVerifyGetKey
  issuer: string
  /** Which `aud` (and `azp`) are accepted. */
  clientIds: string[]
  skewSeconds: number
}

/** The accepted signature algorithms: asymmetric only. */
const algorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

/**
 * Verifies an id_token from a client: signature, issuer, audience, times, nonce and at_hash (OpenID Connect Core
 * 3.1.3.7 and 3.2.2.9).
 *
 * @throws {IdTokenError} what is wrong with it
 * @throws {SignInProviderError} `unavailable` when the provider's keys are unavailable
 */
export async function checkIdToken(
  token: IdToken,
  expected: ExpectedIdToken,
): Promise<JWTPayload & { iss: string; sub: string }> {
  const claims = await verify(token.idToken, expected)
  const { sub, azp } = claims
  if (isAhead(claims, expected.skewSeconds)) throw new IdTokenError('Bad ID token')
  if (typeof sub !== 'string') throw new IdTokenError('ID token has no subject')
  if (azp !== undefined || (Array.isArray(claims.aud) && claims.aud.length > 1)) {
    if (typeof azp !== 'string' || !expected.clientIds.includes(azp))
      throw new IdTokenError('Unacceptable authorized party in id_token')
  }
  checkNonce(token.nonce, claims['nonce'])
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
      audience: expected.clientIds,
      algorithms,
      clockTolerance: expected.skewSeconds,
      requiredClaims: ['sub', 'exp', 'iat'],
    })
    return payload
  } catch (error) {
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError))
      throw new SignInProviderError('unavailable', 'no keys', { cause: error })
    if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'aud')
      throw new IdTokenError('Unacceptable audience in id_token')
    throw new IdTokenError('Bad ID token')
  }
}

/** The client keeps the nonce and has the provider sign its hash, so that a stolen token is useless. */
function checkNonce(clear: string | undefined, signed: unknown): void {
  if ((clear === undefined) !== (signed === undefined || signed === ''))
    throw new IdTokenError('Passed nonce and nonce in id_token should either both exist or not.')
  if (clear === undefined) return
  const hash = sha256(clear).toString('hex')
  if (typeof signed !== 'string' || !constantTimeEqual(signed, hash))
    throw new IdTokenError('Nonces mismatch')
}

/** at_hash is the left half of the access token's hash, with the hash of the id_token's algorithm. */
function checkAccessToken({ idToken, accessToken }: IdToken, signed: unknown): void {
  if (signed === undefined) return
  if (accessToken === undefined || typeof signed !== 'string')
    throw new IdTokenError('The id_token has an at_hash: the access_token it speaks of is needed')
  const [, bits = '512'] = /^[RPE]S(\d+)$/.exec(decodeProtectedHeader(idToken).alg ?? '') ?? []
  const whole = createHash(`sha${bits}`).update(accessToken).digest()
  const half = whole.subarray(0, whole.length / 2).toString('base64url')
  if (!constantTimeEqual(signed, half))
    throw new IdTokenError('at_hash does not match the access_token')
}
