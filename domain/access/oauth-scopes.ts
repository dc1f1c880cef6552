/** Scopes that an app may request, and the rights of its token (docs/decisions/0062-apps-act-with-scopes.md). */
export const oauthScopes = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'links:read',
  'links:write',
  'analytics:read',
  'popups:read',
  'popups:write',
  'leads:read',
  'leads:write',
  'bio:read',
  'bio:write',
  'members:read',
  'members:write',
  'domains:write',
] as const

export type OAuthScope = (typeof oauthScopes)[number]

/** Reads a space-separated list: known scopes, in our order and each once, and unknown ones. */
export function parseScopes(text: string): { known: OAuthScope[]; unknown: string[] } {
  const asked = new Set(text.split(' ').filter(Boolean))
  const known = oauthScopes.filter((scope) => asked.has(scope))
  return { known, unknown: [...asked].filter((one) => !known.some((scope) => scope === one)) }
}

const words: Record<OAuthScope, string> = {
  openid: 'Know that it is you',
  profile: 'See your display name',
  email: 'See your email address',
  offline_access: 'Go on acting for you while you are away',
  'links:read': 'See your links and their counts',
  'links:write': 'Create, change and delete your links',
  'analytics:read': 'See how your links are clicked',
  'popups:read': 'See your popups',
  'popups:write': 'Create, change and delete your popups',
  'leads:read': 'See the email addresses in your audience',
  'leads:write': 'Tag and erase email addresses in your audience',
  'bio:read': 'See your bio page',
  'bio:write': 'Create and change your bio page',
  'members:read': 'See your spaces and their people',
  'members:write': 'Invite people to a space and change their roles',
  'domains:write': 'Add, change and remove your domains',
}

/** Descriptions of these scopes, as the consent screen and the settings say it. */
export function scopeWords(scopes: readonly string[]): string[] {
  return oauthScopes.filter((scope) => scopes.includes(scope)).map((scope) => words[scope])
}
