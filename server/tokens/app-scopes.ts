import { type OAuthScope, parseScopes } from '#domain/oauth-scopes.ts'
import type { Claims } from '../postgres/database.ts'

/**
 * What a token lets an app do for a person; undefined for a person's own token, which has no limits.
 * An app's token always has a `client_id`, and one without a scope opens nothing.
 */
export function appScopes(claims: Claims): ReadonlySet<OAuthScope> | undefined {
  const { client_id: clientId, scope } = claims
  if (clientId === undefined) return undefined
  return new Set(parseScopes(typeof scope === 'string' ? scope : '').known)
}
