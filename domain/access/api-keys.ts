import { oauthScopes } from './oauth-scopes.ts'

/** Scopes of an API key; a key tells nothing of its person, so the scopes about that are for apps only. */
export const apiKeyScopes = oauthScopes.filter((scope) => scope.includes(':'))

export const apiKeyLimits = { name: 100, keys: 25, days: 3_650, domains: 25 } as const

/** Scopes of a key that is limited to domains: it opens their links, and nothing else. */
export const scopesOnDomains = ['links:read', 'links:write'] as const

/** As GET /auth/v1/user/api-keys presents a key. */
export interface ApiKey {
  id: string
  name: string
  /** The first four characters after the prefix. */
  hint: string
  scopes: string[]
  /** Hosts to which it is limited, '' the server's; null: no limit. */
  domains: string[] | null
  created_at: string
  expires_at: string | null
  is_expired: boolean
  last_used_at: string | null
  /** ISO 3166-1 alpha-2. */
  last_used_country: string | null
}
