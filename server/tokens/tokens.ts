import { type OAuthScope, parseScopes } from '#domain/access/oauth-scopes.ts'
import { rightsOfRole, spaceRole } from '#domain/access/space-roles.ts'
import { errors, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { LRUCache } from 'lru-cache'
import type { RequestInfo } from '../http/router.ts'
import type { Claims } from '../postgres/begin.ts'
import { sha256 } from '../primitives/sha256.ts'
import { isUuid } from '../primitives/uuid.ts'
import { looksLikeApiKey } from './api-key-text.ts'
import { doorsAudience } from './audiences.ts'
import { apiKeyIssuer, type Keys } from './keys.ts'
import { matchError } from '../primitives/caught-error.ts'

/** Sender of a request: an API role, and for people the claims of their access token. */
export type Identity =
  | { role: 'anon'; claims: Claims }
  | { role: 'authenticated'; claims: Claims & { sub: string } }
  | { role: 'service_role'; claims: Claims }

/** The message with which each door refuses a role (also in tables/problems.json). */
export const roleRefusal = 'Your role in this space does not allow this'

/** The request names an account that its person does not belong to; doors answer 403. */
export class ForeignAccountError extends Error {
  name = 'ForeignAccountError'
  readonly person: string
  constructor(person: string) {
    super('You are not a member of this account')
    this.person = person
  }
}

/** Membership in spaces, as this process remembers it. The database has the last word in each transaction (postgres/begin.ts). */
export interface Members {
  /**
   * The identity as it acts for the account: `sub` is the account, `person` the human.
   *
   * @throws {ForeignAccountError}
   */
  actFor(identity: PersonIdentity, account: string): Promise<PersonIdentity>
  /**
   * Runs `work` as the identity; once more when the person has another role by now, whether the database says so or a door refuses the
   * role that was remembered.
   *
   * @throws {ForeignAccountError} when they are no member any more
   */
  inPresentRole<T, Who extends Identity>(
    identity: Who,
    work: (identity: Who) => Promise<T>,
  ): Promise<T>
  /** Leaves a security event when the error is a {@link ForeignAccountError}. Never waits. */
  recordRefused(error: unknown, request: Request, info: RequestInfo): void
}

export type PersonIdentity = Identity & { role: 'authenticated' }

/** The human of a request, whichever account it acts for. */
export function personOf({ person, sub }: PersonIdentity['claims']): string {
  return typeof person === 'string' ? person : sub
}

/** Our name for apps: the `iss` of every token, and of every response to an app (RFC 9207). */
export function issuerOf(config: { publicUrl: string }): string {
  return `${config.publicUrl}/auth/v1`
}

/** Why a token was refused; each door answers in its own protocol. */
export class TokenError extends Error {
  name = 'TokenError'
  readonly reason: 'malformed' | 'signature' | 'expired' | 'claims'
  constructor(reason: TokenError['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** The keys that people make for their own programs (api-keys.ts). */
export interface ApiKeys {
  /**
   * Reads the owner of a key. That the key is alive is for transactionAs to say, on each request.
   *
   * @param beforeQuery comes before the database is asked for a key that is not in memory
   * @throws {TokenError} for an unknown key
   */
  verify(text: string, beforeQuery?: () => void): Promise<Identity>
  /** Notes that a key was used from there. Never waits for the database. */
  recordUse(id: string, address: string): void
}

export interface Tokens {
  anonKey: string
  serviceRoleKey: string
  /** Signs an access token as this server. `expiresIn` in seconds. */
  sign(claims: Claims, expiresIn: number): Promise<string>
  /**
   * Verifies signature, key, algorithm, times (60 s of skew), issuer and role. transactionAs checks that the session is alive.
   *
   * @param audiences resources that a person's token is for. Default: the doors
   */
  verify(token: string, audiences?: readonly string[]): Promise<Identity>
  apiKeys: ApiKeys
  members: Members
  /** The public keys, as `/.well-known/jwks.json` shows them. */
  jwks: { keys: JWK[] }
}

const skewSeconds = 60

/** A person's token carries two metadata of 4 KiB each, which base64 makes a third longer. */
const maxTokenLength = 12_288

/**
 * @param issuer the `iss` of people's tokens; called each time, because the address is known only after listen(). After a change
 *   of address the old tokens are void.
 */
export async function createTokens(
  keys: Keys,
  issuer: () => string,
  { apiKeys, members }: Pick<Tokens, 'apiKeys' | 'members'>,
): Promise<Tokens> {
  const { d: _private, ...publicKey } = keys.signingKey
  const signingKey = await importJWK(keys.signingKey, 'ES256')
  const verifyingKey = await importJWK(publicKey, 'ES256')
  // A signature check costs more than a small query, so a verified token is cached until it expires.
  const verified = new LRUCache<string, { identity: Identity; expires: number }>({ max: 10_000 })

  return {
    anonKey: keys.anonKey,
    serviceRoleKey: keys.serviceRoleKey,
    apiKeys,
    members,
    jwks: { keys: [{ ...publicKey, alg: 'ES256', use: 'sig', key_ops: ['verify'] }] },

    sign: (claims, expiresIn) => {
      const now = Math.floor(Date.now() / 1000)
      return new SignJWT({ iss: issuer(), ...claims, iat: now, exp: now + expiresIn })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: publicKey.kid ?? '' })
        .sign(signingKey)
    },

    async verify(token, audiences = [doorsAudience]) {
      if (looksLikeApiKey(token))
        throw new TokenError('malformed', 'API keys are not accepted here, only access tokens')
      if (token.length > maxTokenLength) throw new TokenError('malformed', 'JWT is too long')
      const digest = sha256(token).toString('base64')
      const now = Date.now() / 1000
      const known = verified.get(digest)
      if (known && known.expires + skewSeconds > now) return forAudience(known.identity, audiences)
      const identity = toIdentity(await check(token, verifyingKey, publicKey.kid), issuer())
      verified.set(digest, { identity, expires: Number(identity.claims.exp) })
      return forAudience(identity, audiences)
    },
  }
}

async function check(
  token: string,
  key: Parameters<typeof jwtVerify>[1],
  keyId: string | undefined,
): Promise<Claims> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      algorithms: ['ES256'],
      clockTolerance: skewSeconds,
      requiredClaims: ['exp', 'role'],
    })
    if (protectedHeader.kid !== undefined && protectedHeader.kid !== keyId)
      throw new TokenError('signature', 'JWT is signed with another key')
    if (payload.iat !== undefined && payload.iat > Date.now() / 1000 + skewSeconds)
      throw new TokenError('claims', 'JWT claims: "iat" is in the future')
    return payload
  } catch (error) {
    const known = matchError(
      error,
      [TokenError, (refusal) => refusal],
      [errors.JWTExpired, () => new TokenError('expired', 'JWT expired')],
      [
        errors.JWTClaimValidationFailed,
        ({ message }) => new TokenError('claims', `JWT claims: ${message}`),
      ],
      [errors.JWSSignatureVerificationFailed, badSignature],
      [errors.JOSEAlgNotAllowed, badSignature],
    )
    throw known ?? new TokenError('malformed', 'JWT is malformed')
  }
}

const badSignature = () => new TokenError('signature', 'JWT signature is not valid')

function toIdentity(claims: Claims, issuer: string): Identity {
  const { role, iss, sub, session_id: session } = claims
  if ((role === 'anon' || role === 'service_role') && iss === apiKeyIssuer) return { role, claims }
  const isOurs = role === 'authenticated' && iss === issuer
  if (isOurs && isUuid(sub) && isUuid(session)) return { role, claims: { ...claims, sub } }
  throw new TokenError('claims', 'JWT claims are not those of a Hoplet token')
}

function forAudience(identity: Identity, audiences: readonly string[]): Identity {
  const { aud } = identity.claims
  if (identity.role === 'authenticated' && !audiences.some((one) => one === aud))
    throw new TokenError('claims', 'JWT claims: "aud" is another audience')
  return identity
}

/**
 * Rights of an app by its token; undefined for a person's own token, which has no limits.
 * An app's token always has a `client_id`, and one without a scope opens nothing. An API key counts as an app.
 */
export function appScopes(claims: Claims): ReadonlySet<OAuthScope> | undefined {
  const { client_id: clientId, scope } = claims
  if (clientId === undefined) return undefined
  return new Set(parseScopes(typeof scope === 'string' ? scope : '').known)
}

/** Whether the caller is an API key that is limited to links of some domains. */
export const isLimitedToDomains = (claims: Claims): boolean => claims['domains'] !== undefined

/** Rights of the caller: those of the app and of the role in the space, where they have one; undefined for no limits. */
export function rightsOf(claims: Claims): ReadonlySet<OAuthScope> | undefined {
  const ofApp = appScopes(claims)
  const ofRole = roleRights(claims)
  if (!ofApp || !ofRole) return ofApp ?? ofRole
  return new Set([...ofRole].filter((scope) => ofApp.has(scope)))
}

/** Rights of the role in the space that a request acts for; undefined for its owners, and for people in their own account. */
export function roleRights(claims: Claims): ReadonlySet<OAuthScope> | undefined {
  if (claims['person'] === undefined) return undefined
  const role = spaceRole(claims['member_role'])
  if (role === undefined) return new Set()
  const rights = rightsOfRole[role]
  return rights && new Set(rights)
}

const accountHeader = 'x-hoplet-account'

/**
 * Reads who sends a request, and for which account: `Authorization: Bearer`, else the `apikey` header, else `anon`. Either may be a
 * person's API key. `X-Hoplet-Account` names a space that a person acts for; keys and apps have theirs since they were made.
 *
 * @param beforeQuery comes before the database is asked for an API key, and may refuse that
 * @throws {TokenError} when there is an invalid token, which is never treated like none
 * @throws {ForeignAccountError}
 */
export async function identify(
  tokens: Tokens,
  request: Request,
  beforeQuery?: () => void,
): Promise<Identity> {
  const identity = await identifyPerson(tokens, request, beforeQuery)
  return identity.role === 'authenticated' ? actingFor(tokens, identity, request) : identity
}

/** The identity of a person's token for the account that the token or the request names. @throws {ForeignAccountError} */
export async function actingFor(
  { members }: Pick<Tokens, 'members'>,
  identity: PersonIdentity,
  request: Request,
): Promise<PersonIdentity> {
  const { sub, account = sub, client_id: client } = identity.claims
  const named = request.headers.get(accountHeader)?.toLowerCase()
  const fixed = client === undefined || typeof account !== 'string' ? undefined : account
  if (named !== undefined && (!isUuid(named) || named !== (fixed ?? named)))
    throw new ForeignAccountError(sub)
  const wanted = fixed ?? named ?? sub
  return wanted === sub ? identity : members.actFor(identity, wanted)
}

async function identifyPerson(
  tokens: Tokens,
  request: Request,
  beforeQuery?: () => void,
): Promise<Identity> {
  const verifyAny = (text: string) =>
    looksLikeApiKey(text) ? tokens.apiKeys.verify(text, beforeQuery) : tokens.verify(text)

  const authorization = request.headers.get('authorization')
  if (authorization !== null) {
    const match = /^Bearer +(\S+)$/i.exec(authorization)
    if (!match?.[1]) throw new TokenError('malformed', 'Authorization is not a bearer token')
    return verifyAny(match[1])
  }
  const apiKey = request.headers.get('apikey')
  return apiKey ? verifyAny(apiKey) : { role: 'anon', claims: {} }
}
