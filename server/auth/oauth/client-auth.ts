import { BodyError, hasFormBody, readText } from '../../http/body.ts'
import { constantTimeEqual } from '../../primitives/constant-time.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import { type AuthCall, maxFormBytes, transaction } from '../call.ts'
import { authErrors, oauthErrors } from '../errors.ts'
import { type Client, findClient } from './clients.ts'
import { replaceError } from '../../primitives/caught-error.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/**
 * Which app sends this: its id and secret by HTTP Basic or in the form; a public one has its id alone (RFC 6749 2.3).
 *
 * @throws {OAuthError} 401 invalid_client, 400 invalid_request when it says so in two ways
 */
export async function authenticateClient(
  call: AuthCall,
  form: ReadonlyMap<string, string>,
): Promise<Client> {
  const basic = readBasic(call.request.headers.get('authorization'))
  const id = form.get('client_id')
  const secret = form.get('client_secret')
  if (basic && (secret !== undefined || (id !== undefined && id !== basic.id)))
    throw oauthErrors.invalidRequest('The app must say who it is in one way only')
  const given = basic ?? { id, secret }
  const client = orThrow(
    await transaction(call, (db) => findClient(db, given.id)),
    oauthErrors.invalidClient,
  )
  const isPublic = client.token_endpoint_auth_method === 'none'
  if (isPublic ? given.secret : given.secret === undefined) throw oauthErrors.invalidClient()
  if (!isPublic && !constantTimeEqual(client.secret_hash ?? '', sha256Hex(given.secret ?? '')))
    throw oauthErrors.invalidClient()
  return client
}

/** Id and secret are form-encoded before they are joined. @throws {OAuthError} for another scheme, or no such pair */
function readBasic(header: string | null): { id: string; secret: string } | undefined {
  if (header === null) return undefined
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(header) ?? []
  // The official clients send the public API key with every request: it says nothing about an app.
  if (encoded === undefined) {
    if (/^Bearer /i.test(header)) return undefined
    throw oauthErrors.invalidClient()
  }
  const [, id, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  if (id === undefined || secret === undefined) throw oauthErrors.invalidClient()
  return { id: formDecoded(id), secret: formDecoded(secret) }
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw oauthErrors.invalidClient()
  }
}

/**
 * Reads the form-encoded body that OAuth endpoints take (RFC 6749 B). No parameter may come twice; an empty one counts
 * as absent.
 *
 * @throws {OAuthError} invalid_request
 */
export async function readForm({ request }: AuthCall): Promise<ReadonlyMap<string, string>> {
  if (!hasFormBody(request))
    throw oauthErrors.invalidRequest('Content-Type must be application/x-www-form-urlencoded')
  const text = await readText(request, maxFormBytes).catch(
    replaceError(BodyError, ({ status, message }) =>
      status === 413 ? authErrors.bodyTooLarge() : oauthErrors.invalidRequest(message),
    ),
  )
  return onceEach(new URLSearchParams(text))
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
