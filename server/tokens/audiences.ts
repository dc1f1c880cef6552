import type { OAuthScope } from '#domain/access/oauth-scopes.ts'

/** Scopes of the tools at `/mcp`; a client that names no scope asks for all of them. */
export const mcpScopes: readonly OAuthScope[] = [
  'offline_access',
  'links:read',
  'links:write',
  'analytics:read',
  'popups:read',
  'popups:write',
  'leads:read',
  'bio:read',
  'bio:write',
  'members:read',
  'members:write',
]

/** The `aud` of a token for every door but `/mcp`, as the official auth client has it. */
export const doorsAudience = 'authenticated'

/** The `aud` of a token for `/mcp`, which no other door takes (RFC 8707). */
export function mcpAudience(config: { publicUrl: string }): string {
  return `${config.publicUrl}/mcp`
}
