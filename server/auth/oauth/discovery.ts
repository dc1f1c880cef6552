import { Hono } from 'hono'
import { type OAuthScope, oauthScopes } from '#domain/access/oauth-scopes.ts'
import { mcpScopes } from '../../tokens/audiences.ts'
import { cors } from '../../http/cors.ts'
import { issuerOf } from '../../tokens/tokens.ts'
import type { AuthCall, AuthDeps } from '../call.ts'
import fixedMetadata from './server-metadata.json' with { type: 'json' }

/** Metadata of the OAuth server (OpenID Connect Discovery 1.0, RFC 8414); constants are in server-metadata.json. */
function serverMetadata({ auth, publicUrl }: AuthDeps['config']): Record<string, unknown> {
  const issuer = issuerOf({ publicUrl })
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    ...(auth.oauthRegistration && { registration_endpoint: `${issuer}/oauth/clients/register` }),
    client_id_metadata_document_supported: auth.oauthRegistration,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: oauthScopes,
    ...fixedMetadata,
  }
}

/** Metadata of a door as a protected resource (RFC 9728). */
function resourceMetadata(
  publicUrl: string,
  path: string,
  scopes: readonly OAuthScope[],
): Record<string, unknown> {
  return {
    resource: `${publicUrl}${path}`,
    authorization_servers: [issuerOf({ publicUrl })],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Hoplet',
  }
}

/** GET /.well-known/openid-configuration and /.well-known/oauth-authorization-server. */
export async function getServerMetadata({ deps }: AuthCall): Promise<Response> {
  return metadataResponse(serverMetadata(deps.config))
}

function metadataResponse(metadata: Record<string, unknown>): Response {
  return Response.json(metadata, { headers: { 'Cache-Control': 'public, max-age=600' } })
}

/** By their paths: the doors together, the table door, and the tools for agents. */
const resources: readonly [path: string, scopes: readonly OAuthScope[]][] = [
  ['', oauthScopes],
  ['/rest/v1', oauthScopes],
  ['/mcp', mcpScopes],
]

/**
 * Documents at the origin itself: metadata of the OAuth server, which has a path in its issuer (RFC 8414 3.1), and of the
 * doors as its resources (RFC 9728).
 */
export function createWellKnown({ config }: Pick<AuthDeps, 'config'>): Hono {
  const app = new Hono()
  app.use(cors())
  const metadataPaths = [
    '/oauth-authorization-server/auth/v1',
    '/openid-configuration/auth/v1',
    // Agents that know only the address of /mcp look here (revision 2025-03-26).
    '/oauth-authorization-server',
  ]
  for (const path of metadataPaths) app.get(path, () => metadataResponse(serverMetadata(config)))
  for (const [path, scopes] of resources) {
    app.get(`/oauth-protected-resource${path}`, () =>
      metadataResponse(resourceMetadata(config.publicUrl, path, scopes)),
    )
  }
  return app
}
