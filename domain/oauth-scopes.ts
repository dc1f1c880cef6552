/** What an app may ask a person for, and what its token then opens (docs/decisions/0062-apps-act-with-scopes.md). */
export const oauthScopes = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'links:read',
  'links:write',
] as const

export type OAuthScope = (typeof oauthScopes)[number]

/** Reads a space-separated list: what is known of it, in our order and each once, and what is not. */
export function parseScopes(text: string): { known: OAuthScope[]; unknown: string[] } {
  const asked = new Set(text.split(' ').filter(Boolean))
  const known = oauthScopes.filter((scope) => asked.has(scope))
  return { known, unknown: [...asked].filter((one) => !known.some((scope) => scope === one)) }
}
