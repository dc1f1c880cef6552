import { TokenError, type Identity, type Tokens } from './tokens.ts'

/**
 * Reads who sends a request: `Authorization: Bearer`, else the `apikey` header, else `anon`.
 *
 * @throws {TokenError} when there is an invalid token, which is never treated like none
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
