import { TokenError, type Identity, type Tokens } from './tokens.ts'

/**
 * Reads who sends a request: `Authorization: Bearer`, else the `apikey` header, else nobody (`anon`).
 *
 * @throws {TokenError} when a token is there and not good; a bad token is never taken for no token
 */
export async function identify(tokens: Tokens, request: Request): Promise<Identity> {
  const authorization = request.headers.get('authorization')
  if (authorization !== null) {
    const match = /^Bearer +(\S+)$/i.exec(authorization)
    if (!match?.[1]) throw new TokenError('malformed', 'Authorization is not a bearer token')
    return tokens.verify(match[1])
  }
  const apiKey = request.headers.get('apikey')
  return apiKey ? tokens.verify(apiKey) : { role: 'anon', claims: {} }
}
