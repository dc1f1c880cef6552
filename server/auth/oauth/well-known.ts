import { Hono } from 'hono'
import type { AuthDeps } from '../call.ts'
import { cors } from '../../http/cors.ts'
import { metadataResponse, resourceMetadata, serverMetadata } from './discovery.ts'

/**
 * What apps look for at the origin itself: the OAuth server, whose issuer has a path (RFC 8414 3.1), and who may let
 * them in at the table door (RFC 9728).
 */
export function createWellKnown({ config }: Pick<AuthDeps, 'config'>): Hono {
  const app = new Hono()
  app.use(cors())
  for (const name of ['oauth-authorization-server', 'openid-configuration']) {
    app.get(`/${name}/auth/v1`, () => metadataResponse(serverMetadata(config)))
  }
  for (const path of ['', '/rest/v1']) {
    app.get(`/oauth-protected-resource${path}`, () =>
      metadataResponse(resourceMetadata(config, path)),
    )
  }
  return app
}
