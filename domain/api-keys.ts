import { z } from 'zod'
import { oauthScopes } from './oauth-scopes.ts'

/** What an API key can open; a key tells nothing of its person, so the scopes about that are for apps only. */
export const apiKeyScopes = oauthScopes.filter((scope) => scope.includes(':'))

export const apiKeyLimits = { name: 100, keys: 25, days: 3_650 } as const

/** Days that a key can be good for, as the form offers them; null is until it is revoked. */
export const apiKeyLifetimes = [30, 90, 365, null] as const

/** As GET /auth/v1/user/api-keys presents a key. */
export interface ApiKey {
  id: string
  name: string
  /** The first four characters after the prefix. */
  hint: string
  scopes: string[]
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  /** ISO 3166-1 alpha-2. */
  last_used_country: string | null
}

/** The form of a new key, and the body of POST /auth/v1/user/api-keys. */
export const apiKeyForm = z.object({
  name: z
    .string('Give the key a name')
    .trim()
    .min(1, 'Give the key a name')
    .max(apiKeyLimits.name, `A name can have ${apiKeyLimits.name} characters`)
    .regex(/^\P{Cc}*$/u, 'The name must be one line'),
  scopes: z
    .array(z.enum(apiKeyScopes, `scopes can be ${apiKeyScopes.join(', ')}`), 'scopes is missing')
    .min(1, 'Choose at least one permission')
    .max(100)
    .transform((chosen) => apiKeyScopes.filter((scope) => chosen.includes(scope))),
  /** Days until it expires; null for never. */
  expires_in_days: z
    .int('expires_in_days must be a whole number, or null')
    .min(1, 'expires_in_days must be at least 1')
    .max(apiKeyLimits.days, `expires_in_days can be at most ${apiKeyLimits.days}`)
    .nullable(),
})

export type ApiKeyFields = z.output<typeof apiKeyForm>
