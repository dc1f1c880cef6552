import { parseScopes } from '#domain/oauth-scopes.ts'
import { routes } from '#domain/routes.ts'
import { type AuthCall, transaction } from '../call.ts'
import { OAuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import { insertAuthorization, type NewAppAuthorization } from './authorizations.ts'
import { type Client, findClient } from './clients.ts'
import { onceEach } from './form.ts'
import { issuerOf } from '../../tokens/tokens.ts'
import { oauthErrors } from './oauth-errors.ts'
import { refuseApp } from './refused-page.ts'
import { isRegistered, withAnswer } from './redirect-uris.ts'

/**
 * GET /oauth/authorize: where an app sends the browser. A request that is in order goes on to the consent screen; one
 * with a fault goes back to the app, unless it is not certain that the address is the app's: then it goes nowhere.
 */
export async function authorizeApp(call: AuthCall): Promise<Response> {
  const query = call.url.searchParams
  const ids = query.getAll('client_id')
  const client =
    ids.length === 1 ? await transaction(call, (db) => findClient(db, ids[0])) : undefined
  if (!client) return refuseApp(call, authErrors.oauthClientNotFound())
  const [redirectUri, ...more] = query.getAll('redirect_uri')
  if (
    redirectUri === undefined ||
    more.length > 0 ||
    !isRegistered(client.redirect_uris, redirectUri)
  )
    return refuseApp(
      call,
      authErrors.invalid('redirect_uri must be one that the app has registered'),
    )

  const { config } = call.deps
  try {
    const wanted = readRequest(query, client, config.publicUrl)
    const id = await transaction(call, (db) =>
      insertAuthorization(db, { clientId: client.id, redirectUri, ...wanted }),
    )
    return goTo(`${config.publicUrl}${routes.oauthConsent.href({ authorization_id: id })}`)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const answer = {
      error: error.code,
      error_description: error.message,
      state: query.get('state'),
      iss: issuerOf(config),
    }
    return goTo(withAnswer(redirectUri, answer))
  }
}

/** @throws {OAuthError} what the app is told */
function readRequest(
  query: URLSearchParams,
  client: Client,
  publicUrl: string,
): Omit<NewAppAuthorization, 'clientId' | 'redirectUri'> {
  const given = onceEach(query)
  if (given.get('response_type') !== 'code')
    throw new OAuthError(400, 'unsupported_response_type', 'response_type must be code')
  if ((given.get('response_mode') ?? 'query') !== 'query')
    throw oauthErrors.invalidRequest('response_mode must be query')
  for (const name of ['request', 'request_uri']) {
    if (given.has(name))
      throw new OAuthError(400, `${name}_not_supported`, `${name} is not supported`)
  }
  const challenge = given.get('code_challenge') ?? ''
  if (given.get('code_challenge_method') !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw oauthErrors.invalidRequest(
      'PKCE is required: code_challenge with code_challenge_method=S256',
    )
  }
  const prompt = new Set((given.get('prompt') ?? '').split(' '))
  // Who is signed in is known to the web app only, never to a plain request of the browser.
  if (prompt.has('none'))
    throw new OAuthError(
      400,
      'interaction_required',
      'Only the person can answer: prompt=none is not served',
    )
  const resource = given.get('resource') ?? null
  if (resource !== null) checkResource(resource, publicUrl)
  return {
    scope: readScope(given.get('scope'), client),
    state: short(given, 'state', 2_048),
    nonce: short(given, 'nonce', 512),
    resource,
    challenge,
    asksAnew: prompt.has('consent'),
  }
}

function readScope(text: string | undefined, client: Client): string {
  const { known, unknown } = parseScopes(text ?? '')
  const registered: readonly string[] = parseScopes(client.scope).known
  const first = unknown[0] ?? known.find((scope) => !registered.includes(scope))
  if (first !== undefined)
    throw oauthErrors.invalidScope(
      `The app cannot ask for ${first.slice(0, 50)}`.replaceAll(/[^\x20-\x7e]|["\\]/g, '?'),
    )
  // An app that cannot refresh has no use for offline_access; it is left out, as OpenID Connect has it (Core 11).
  const canRefresh = client.grant_types.includes('refresh_token')
  const scopes = known.filter((scope) => scope !== 'offline_access' || canRefresh)
  if (scopes.length === 0) throw oauthErrors.invalidScope('scope is required')
  return scopes.join(' ')
}

/** Tokens are good here only (RFC 8707). @throws {OAuthError} invalid_target */
export function checkResource(text: string, publicUrl: string): void {
  const isOurs = URL.canParse(text) && new URL(text).origin === publicUrl && !text.includes('#')
  if (!isOurs || text.length > 2_048) throw oauthErrors.invalidTarget()
}

function short(given: ReadonlyMap<string, string>, name: string, longest: number): string | null {
  const value = given.get(name) ?? null
  if (value !== null && value.length > longest)
    throw oauthErrors.invalidRequest(`${name} must not be longer than ${longest} characters`)
  return value
}

function goTo(location: string): Response {
  return new Response(null, {
    status: 302,
    headers: {
      Location: location,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
  })
}
