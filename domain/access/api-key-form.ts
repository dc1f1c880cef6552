import * as z from 'zod/mini'
import { apiKeyLimits, apiKeyScopes } from './api-keys.ts'

/** How long a key can be good for, in days; the last one until it is revoked. */
export const apiKeyLifetimes = ['30', '90', '365', 'unlimited'] as const

export type ApiKeyLifetime = (typeof apiKeyLifetimes)[number]

/** A new API key. */
export const apiKeyForm = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, 'Give the key a name'),
      z.maxLength(apiKeyLimits.name, `At most ${apiKeyLimits.name} characters, please`),
    ),
  scopes: z.array(z.enum(apiKeyScopes)).check(z.minLength(1, 'Choose at least one permission')),
  /** Hosts, '' the server's; none for a key without a limit. */
  domains: z.array(z.string()).check(z.maxLength(apiKeyLimits.domains)),
  lifetime: z.enum(apiKeyLifetimes),
})
