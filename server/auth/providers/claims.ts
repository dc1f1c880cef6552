import * as z from 'zod'
import { type SpaceRole, spaceRole } from '#domain/access/space-roles.ts'
import { readEmailAddress } from '#domain/forms/email-address.ts'
import { ifDefined } from '../../primitives/if-defined.ts'
import type { ClaimedSpace, ProviderIdentity } from './provider.ts'

/** The standard claims of OpenID Connect. */
export interface OpenIdClaims {
  iss: string
  sub: string
  [claim: string]: unknown
}

const text = z.string().transform((value) => value.replace(/\p{Cc}|\p{Surrogate}/gu, '').trim())
const name = z
  .string()
  .transform((value) => value.slice(0, 100))
  .pipe(text)
  .catch('')

/** Bounded. Malformed claims count as absent, except for the subject. */
const standardClaims = z.object({
  iss: z.string(),
  sub: z.string().regex(/^\P{C}{1,255}$/u),
  email: z
    .string()
    .transform((typed) => readEmailAddress(typed)?.toLowerCase())
    .optional()
    .catch(undefined),
  // Apple sends a string; anything else means no.
  email_verified: z.literal([true, 'true']).optional().catch(undefined),
  name,
  preferred_username: name,
  nickname: name,
  picture: text
    .refine((value) => /^https:\/\/.{1,504}$/.test(value) && URL.canParse(value))
    .optional()
    .catch(undefined),
})

/** Longer lists count as malformed: directories name people's groups, not every group. */
const maxValues = 1_000

/** Whether a claim is this value, or a list with it. Malformed claims are not. */
function hasClaimValue(claims: Record<string, unknown>, wanted: AdminClaim): boolean {
  const given = Object.hasOwn(claims, wanted.name) ? claims[wanted.name] : undefined
  if (Array.isArray(given)) return given.length <= maxValues && given.includes(wanted.value)
  return given === wanted.value
}

/** Reads `slug` (an editor) and `slug:role` from a claim that is a text or a list. Other values name no space. */
function spacesIn(claims: Record<string, unknown>, name: string): ClaimedSpace[] {
  const given = Object.hasOwn(claims, name) ? claims[name] : undefined
  const values: unknown[] = Array.isArray(given) ? given : [given]
  if (values.length > maxValues) return []
  const spaces = new Map<string, SpaceRole>()
  for (const value of values) {
    const [, slug, word] = /^([a-z0-9-]{2,48})(?::(\w+))?$/.exec(String(value)) ?? []
    const role = spaceRole(word ?? 'editor')
    if (slug !== undefined && role !== undefined && spaces.size < maxSpaces) spaces.set(slug, role)
  }
  return [...spaces].map(([slug, role]) => ({ slug, role }))
}
const maxSpaces = 100

type AdminClaim = Record<'name' | 'value', string>

/** The claims of a provider that decide about roles. */
export interface RoleClaims {
  adminClaim?: AdminClaim | undefined
  spaceClaim?: string | undefined
}

/**
 * Reads the standard claims of OpenID Connect (Core 5.1), and the provider's claims about admins and spaces if it has them.
 *
 * @throws {z.ZodError} for no proper subject
 */
export function identityFrom(
  claims: OpenIdClaims,
  { adminClaim, spaceClaim }: RoleClaims,
): ProviderIdentity {
  const { iss, sub, email, ...known } = standardClaims.parse(claims)
  return {
    issuer: iss,
    subject: sub,
    email,
    vouchedEmail: known.email_verified ? email : undefined,
    name: known.name || undefined,
    userName: known.preferred_username || known.nickname || undefined,
    picture: known.picture,
    isAdmin: adminClaim && hasClaimValue(claims, adminClaim),
    spaces: ifDefined(spaceClaim, (claim) => spacesIn(claims, claim)),
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
