import { normalizeEmail } from '../credentials.ts'
import { type ProviderIdentity, SignInProviderError } from './provider.ts'

/** The standard claims of OpenID Connect. */
export interface OpenIdClaims {
  iss: string
  sub: string
  [claim: string]: unknown
}

/** Reads the standard claims of OpenID Connect (Core 5.1), bounded. @throws {SignInProviderError} for no proper subject */
export function identityFrom(claims: OpenIdClaims): ProviderIdentity {
  if (!/^\P{C}{1,255}$/u.test(claims.sub))
    throw new SignInProviderError('invalid', 'no proper subject')
  const email = emailIn(claims['email'])
  const verified = claims['email_verified']
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email,
    // Apple sends a string; anything else means no.
    vouchedEmail: verified === true || verified === 'true' ? email : undefined,
    name: textIn(claims['name'], 100),
    userName: textIn(claims['preferred_username'] ?? claims['nickname'], 100),
    picture: pictureIn(claims['picture']),
  }
}

/** The identity as it is stored, and as people and their apps see it. The names are GoTrue's. */
export function identityData(identity: ProviderIdentity): Record<string, unknown> {
  return {
    iss: identity.issuer,
    sub: identity.subject,
    provider_id: identity.subject,
    ...(identity.email && { email: identity.email }),
    email_verified: identity.vouchedEmail !== undefined,
    phone_verified: false,
    ...names(identity),
  }
}

/** The initial metadata of a new account; it grants nothing. */
export function metadataFrom(identity: ProviderIdentity): Record<string, unknown> {
  return { ...(identity.name && { display_name: identity.name }), ...names(identity) }
}

function names({ name, userName, picture }: ProviderIdentity): Record<string, unknown> {
  return {
    ...(name && { name, full_name: name }),
    ...(userName && { user_name: userName, preferred_username: userName }),
    ...(picture && { picture, avatar_url: picture }),
  }
}

function emailIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  try {
    return normalizeEmail(value)
  } catch {
    return undefined
  }
}

function textIn(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value
    .slice(0, maxLength)
    .replace(/\p{Cc}|\p{Surrogate}/gu, '')
    .trim()
  return text === '' ? undefined : text
}

function pictureIn(value: unknown): string | undefined {
  const text = textIn(value, 513)
  return text && text.length <= 512 && text.startsWith('https://') && URL.canParse(text)
    ? text
    : undefined
}
