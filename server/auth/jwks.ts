import type { AuthCall } from './call.ts'

/** GET /.well-known/jwks.json: the public keys, which clients verify access tokens with and keep for 10 minutes. */
export async function getJwks({ context: { tokens } }: AuthCall): Promise<Response> {
  return Response.json(tokens.jwks, { headers: { 'Cache-Control': 'public, max-age=600' } })
}
