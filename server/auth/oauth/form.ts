import { BodyError, BodyTooLargeError, readText } from '../../http/body.ts'
import type { AuthCall } from '../call.ts'
import { authErrors } from '../errors.ts'
import { oauthErrors } from './oauth-errors.ts'

const formLimit = 16 * 1024

/**
 * Reads the form-encoded body that OAuth endpoints take (RFC 6749 B). No parameter may come twice; an empty one counts
 * as absent.
 *
 * @throws {OAuthError} invalid_request
 */
export async function readForm({ request }: AuthCall): Promise<ReadonlyMap<string, string>> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type))
    throw oauthErrors.invalidRequest('Content-Type must be application/x-www-form-urlencoded')
  try {
    return onceEach(new URLSearchParams(await readText(request, formLimit)))
  } catch (error) {
    if (error instanceof BodyTooLargeError) throw authErrors.bodyTooLarge()
    if (error instanceof BodyError) throw oauthErrors.invalidRequest(error.message)
    if (request.signal.aborted) throw oauthErrors.invalidRequest('The request was broken off')
    throw error
  }
}

/** @throws {OAuthError} invalid_request when a parameter is there twice or cannot be kept */
export function onceEach(parameters: URLSearchParams): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of parameters) {
    if (found.has(name))
      throw oauthErrors.invalidRequest(`${name.slice(0, 50)} must not be there twice`)
    if (value.includes('\0'))
      throw oauthErrors.invalidRequest(`${name.slice(0, 50)} has characters that cannot be kept`)
    found.set(name, value)
  }
  for (const [name, value] of found) if (value === '') found.delete(name)
  return found
}
