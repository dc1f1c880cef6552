import { z } from 'zod'
import { onOff } from './env-values.ts'
import { isLoopback } from './http/loopback.ts'

const prefix = 'AUTH_PROVIDER_'

/** The provider's answers identify a person, so they must not be changed on the way. */
const safeAddress = z
  .string()
  .refine(
    isSafeAddress,
    'must be an https URL without user, query or fragment (http on this machine only)',
  )
const shared = {
  CLIENT_ID: z.string().transform((list) => list.split(/[\s,]+/).filter(Boolean)),
  CLIENT_SECRET: z.string(),
  NAME: z.string().optional(),
  AUTO: onOff.default(false),
  CLIENT_AUTH: z.enum(['basic', 'post'], 'must be basic or post').optional(),
}
const github = z.strictObject({
  ...shared,
  SCOPES: z.string().default('read:user user:email'),
  URL: safeAddress.default('https://github.com').transform((url) => url.replace(/\/$/, '')),
})
/** `groups=hoplet-admins`: a value may have `=` too, as the names of directories do. */
const adminClaim = z
  .string()
  .regex(
    /^[^=\s][^=]{0,199}=.{1,500}$/u,
    'must name a claim and its value, for example groups=hoplet-admins',
  )
  .transform((text) => {
    const at = text.indexOf('=')
    return { name: text.slice(0, at).trim(), value: text.slice(at + 1).trim() }
  })
const openId = z.strictObject({
  ...shared,
  ADMIN_CLAIM: adminClaim.optional(),
  SPACE_CLAIM: z
    .string()
    .regex(/^[^=\s]{1,200}$/u, 'must name a claim, for example team')
    .optional(),
  SCOPES: z.string().default('openid email profile'),
  ISSUER: safeAddress,
})

const fields = Object.keys({ ...github.shape, ...openId.shape }).join('|')
const variable = new RegExp(`^${prefix}([A-Z][A-Z0-9_]{0,30}?)_(${fields})$`)
/** Names of other ways in. */
const taken = ['EMAIL', 'PHONE', 'ANONYMOUS_USERS', 'SSO', 'WEB3']
const labels: Record<string, string> = { GITHUB: 'GitHub', GITLAB: 'GitLab', LINKEDIN: 'LinkedIn' }

/** The variables of sign-in providers that are set, directly or by file: their names are the operator's to choose. */
export function providerVariables(values: Record<string, string>): string[] {
  const names = Object.keys(values).filter((name) => name.startsWith(prefix))
  return [...new Set(names.map((name) => name.replace(/_FILE$/, '')))]
}

/**
 * Reads `AUTH_PROVIDER_<NAME>_{ISSUER,CLIENT_ID,CLIENT_SECRET}`, with `_NAME` (the button's label), `_SCOPES` and
 * `_CLIENT_AUTH` as options, `_ADMIN_CLAIM` and `_SPACE_CLAIM` for OpenID Connect, and `_AUTO` at one provider at most. GITHUB has no issuer;
 * `_URL` names an Enterprise Server.
 *
 * @param problems gets a line for each variable that is wrong, missing or unknown
 */
export function providersIn(
  values: Record<string, string>,
  problems: string[],
): SignInProviderSettings[] {
  const found = new Map<string, Record<string, string | undefined>>()
  for (const name of providerVariables(values)) {
    const [, provider, field] = variable.exec(name) ?? []
    if (provider === undefined || field === undefined) {
      const known = fields.replaceAll('|', ', ')
      problems.push(`${name}: is not known; after the provider’s name comes ${known}`)
      continue
    }
    found.set(provider, { ...found.get(provider), [field]: values[name] })
  }
  const automatic = [...found].filter(([, { AUTO }]) => AUTO === 'on').map(([name]) => name)
  for (const name of automatic.slice(1))
    problems.push(`${prefix}${name}_AUTO: is on for ${automatic[0]} already; one provider at most`)
  return [...found].flatMap(([name, given]) => {
    if (taken.includes(name))
      problems.push(`${prefix}${name}_CLIENT_ID: this name is taken by another way in`)
    const parsed = (name === 'GITHUB' ? github : openId).safeParse(given)
    if (parsed.success) return [settingsOf(name, parsed.data)]
    for (const issue of parsed.error.issues) problems.push(...problemsOf(issue, name, given))
    return []
  })
}

function problemsOf(
  issue: z.core.$ZodIssue,
  name: string,
  given: Record<string, string | undefined>,
): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((field) => `${prefix}${name}_${field}: is not for this provider`)
  const field = String(issue.path[0])
  return [`${prefix}${name}_${field}: ${given[field] === undefined ? 'is missing' : issue.message}`]
}

/** A sign-in provider that the operator has set up. */
export type SignInProviderSettings = ReturnType<typeof settingsOf>

function settingsOf(name: string, given: z.output<typeof github> | z.output<typeof openId>) {
  const id = name.toLowerCase()
  const settings = {
    /** As clients name it, for example `google`. */
    id,
    /** As people read it, for example `Google`. */
    name: given.NAME ?? labels[name] ?? `${name.slice(0, 1)}${id.slice(1).replaceAll('_', ' ')}`,
    /** The first one is ours for signing in here; id_tokens issued for any of them are accepted. */
    clientIds: given.CLIENT_ID,
    clientSecret: given.CLIENT_SECRET,
    /** Whether people who have to sign in go straight there. */
    isAutomatic: given.AUTO,
    /** Separated by blanks. */
    scopes: given.SCOPES,
  }
  return 'URL' in given
    ? { ...settings, kind: 'github' as const, url: given.URL }
    : {
        ...settings,
        kind: 'openid' as const,
        issuer: given.ISSUER,
        clientAuth: given.CLIENT_AUTH,
        /** The claim of an admin. */
        adminClaim: given.ADMIN_CLAIM,
        /** The claim that lists spaces of a person. */
        spaceClaim: given.SPACE_CLAIM,
      }
}

function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username + password + search + hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
