import type { SignInProviderSettings } from './auth/settings.ts'
import { isLoopback } from './http/loopback.ts'

const prefix = 'AUTH_PROVIDER_'
const fields = [
  'ISSUER',
  'CLIENT_ID',
  'CLIENT_SECRET',
  'NAME',
  'SCOPES',
  'CLIENT_AUTH',
  'URL',
] as const
type Field = (typeof fields)[number]
const variable = new RegExp(`^${prefix}([A-Z][A-Z0-9_]{0,30}?)_(${fields.join('|')})$`)
/** What other ways in are called. */
const taken = ['email', 'phone', 'anonymous_users', 'sso', 'web3']
const labels: Record<string, string> = { github: 'GitHub', gitlab: 'GitLab', linkedin: 'LinkedIn' }
const githubUrl = 'https://github.com'

/** The variables of sign-in providers that are set, directly or by file: their names are the operator's to choose. */
export function providerVariables(values: Record<string, string>): string[] {
  return [
    ...new Set(
      Object.keys(values)
        .filter((name) => name.startsWith(prefix))
        .map((name) => name.replace(/_FILE$/, '')),
    ),
  ]
}

/**
 * Reads `AUTH_PROVIDER_<NAME>_{ISSUER,CLIENT_ID,CLIENT_SECRET}`, with `_NAME` (the button's label), `_SCOPES` and
 * `_CLIENT_AUTH` as options. GITHUB has no issuer; `_URL` names an Enterprise Server.
 *
 * @param problems gets a line for each variable that is wrong, missing or unknown
 */
export function providersIn(
  values: Record<string, string>,
  problems: string[],
): SignInProviderSettings[] {
  const found = new Map<string, Partial<Record<Field, string>>>()
  for (const name of providerVariables(values)) {
    const [, provider, field] = variable.exec(name) ?? []
    if (provider === undefined || field === undefined) {
      problems.push(`${name}: is not known; after the provider’s name comes ${fields.join(', ')}`)
      continue
    }
    found.set(provider, { ...found.get(provider), [field]: values[name] })
  }
  return [...found].flatMap(([name, given]) => {
    const wrong = problemsOf(name, given)
    problems.push(...wrong)
    return wrong.length > 0 ? [] : [settingsOf(name.toLowerCase(), given)]
  })
}

function problemsOf(name: string, given: Partial<Record<Field, string>>): string[] {
  const needed: Field[] = ['CLIENT_ID', 'CLIENT_SECRET']
  if (name !== 'GITHUB') needed.push('ISSUER')
  const problems = needed
    .filter((field) => given[field] === undefined)
    .map((field) => `${prefix}${name}_${field}: is missing`)
  const wrong = (field: Field, why: string) => problems.push(`${prefix}${name}_${field}: ${why}`)
  if (taken.includes(name.toLowerCase())) wrong('CLIENT_ID', 'this name is taken by another way in')
  if (name === 'GITHUB' && given.ISSUER)
    wrong('ISSUER', 'GitHub has none; call the provider otherwise')
  if (name !== 'GITHUB' && given.URL) wrong('URL', 'is for GitHub only; set the issuer')
  for (const field of ['ISSUER', 'URL'] as const) {
    const url = given[field]
    if (url !== undefined && !isSafeAddress(url))
      wrong(
        field,
        'must be an https URL without user, query or fragment (http on this machine only)',
      )
  }
  if (given.CLIENT_AUTH && !/^(basic|post)$/.test(given.CLIENT_AUTH))
    wrong('CLIENT_AUTH', 'must be basic or post')
  return problems
}

/** Its answers decide who a person is, so they must not be changed on the way. */
function isSafeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username + password + search + hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

function settingsOf(id: string, given: Partial<Record<Field, string>>): SignInProviderSettings {
  const shared = {
    id,
    name: given.NAME ?? labels[id] ?? `${id[0]?.toUpperCase()}${id.slice(1).replaceAll('_', ' ')}`,
    clientIds: (given.CLIENT_ID ?? '').split(/[\s,]+/).filter(Boolean),
    clientSecret: given.CLIENT_SECRET ?? '',
  }
  if (id === 'github') {
    const url = (given.URL ?? githubUrl).replace(/\/$/, '')
    return { ...shared, kind: 'github', url, scopes: given.SCOPES ?? 'read:user user:email' }
  }
  return {
    ...shared,
    kind: 'openid',
    issuer: given.ISSUER ?? '',
    scopes: given.SCOPES ?? 'openid email profile',
    clientAuth:
      given.CLIENT_AUTH === 'post' ? 'post' : given.CLIENT_AUTH === 'basic' ? 'basic' : undefined,
  }
}
