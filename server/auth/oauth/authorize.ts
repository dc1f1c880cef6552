import { createElement } from 'react'
import { parseScopes } from '#domain/access/oauth-scopes.ts'
import { routes } from '#domain/routes.ts'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { AppRefusedPage } from '#public-pages/app-refused-page.tsx'
import { limitKey } from '../../http/client-address.ts'
import { pageResponse, pageTitle, publicPage } from '../../http/public-page.ts'
import type { Transaction } from '../../postgres/database.ts'
import { insertRow } from '../../postgres/rows.ts'
import { issuerOf } from '../../tokens/tokens.ts'
import { type AuthCall, transaction } from '../call.ts'
import { type AuthError, authErrors, OAuthError, oauthErrors } from '../errors.ts'
import type { Challenge } from '../flow-states.ts'
import { onceEach } from './client-auth.ts'
import { clientOfRequest } from './client-documents.ts'
import type { Client } from './clients.ts'
import { isRegistered, withAnswer } from './redirect-uris.ts'
import { resourceOf } from './resources.ts'
import { ifError } from '../../primitives/caught-error.ts'

/** One request of an app, from the first visit to the exchange of its code. */
export interface AppAuthorization {
  id: string
  client_id: string
  user_id: string | null
  redirect_uri: string
  scope: string
  state: string | null
  nonce: string | null
  /** Resource of the token; null for the doors. */
  resource: string | null
  /** The app wants the person to be asked despite an earlier consent. */
  asks_anew: boolean
  /** The space that the app shall act for; null for the person's own account. */
  account_id: string | null
  auth_time: Date | null
}

type RequestedAuthorization = Pick<
  AppAuthorization,
  'scope' | 'state' | 'nonce' | 'resource' | 'asks_anew'
> &
  Challenge

/**
 * GET /oauth/authorize: where an app sends the browser. A request that is in order goes on to the consent screen; one
 * with a fault goes back to the app, unless it is not certain that the address is the app's: then it goes nowhere.
 */
export async function authorizeApp(call: AuthCall): Promise<Response> {
  const query = call.url.searchParams
  const ids = query.getAll('client_id')
  const client =
    ids.length === 1
      ? await clientOfRequest(call, ids[0] ?? '').catch(ifError(OAuthError, (error) => error))
      : undefined
  if (!client) return refuseApp(call, authErrors.oauthClientUnknown())
  if (client instanceof OAuthError) return refuseApp(call, client)
  const [redirectUri, ...more] = query.getAll('redirect_uri')
  const isKnown = redirectUri !== undefined && isRegistered(client.redirect_uris, redirectUri)
  if (!isKnown || more.length > 0) {
    const why = 'redirect_uri must be one that the app has registered'
    return refuseApp(call, authErrors.invalid(why))
  }

  const { config } = call.deps
  const store = async () => {
    const wanted = readRequest(query, client, config.publicUrl)
    const row = { ...wanted, client_id: client.id, redirect_uri: redirectUri }
    // Only this browser learns the id.
    const { id } = await transaction(call, (db) => insertAuthorization(db, call, row))
    return `${config.publicUrl}${routes.oauthConsent.href({ authorization_id: id })}`
  }
  const refuse = ({ code, message }: OAuthError) => {
    const state = query.get('state')
    const answer = { error: code, error_description: message, state, iss: issuerOf(config) }
    return withAnswer(redirectUri, answer)
  }
  return goTo(await store().catch(ifError(OAuthError, refuse)))
}

/** Maximum per app and client address: a new one evicts the oldest. */
const maxPending = 100

async function insertAuthorization(
  db: Transaction,
  { deps, info }: AuthCall,
  row: RequestedAuthorization & Pick<AppAuthorization, 'client_id' | 'redirect_uri'>,
): Promise<{ id: string }> {
  const origin = deps.secretBox.digest(limitKey(info.address), 'app requests').slice(0, 32)
  const inserted = await insertRow<{ id: string }>(
    db,
    'auth.oauth_authorizations',
    { ...row, origin },
    'id',
  )
  await db.query(
    `delete from auth.oauth_authorizations where id in (
      select id from auth.oauth_authorizations where client_id = $1 and origin = $2 and status = 'pending'
        order by created_at desc offset $3)`,
    [row.client_id, origin, maxPending],
  )
  return inserted
}

/** @throws {OAuthError} the error for the app */
function readRequest(
  query: URLSearchParams,
  client: Client,
  publicUrl: string,
): RequestedAuthorization {
  const given = onceEach(query)
  if (given.get('response_type') !== 'code') throw oauthErrors.unsupportedResponseType()
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
  // Only the web app knows the signed-in person, never a plain request of the browser.
  if (prompt.has('none')) throw oauthErrors.interactionRequired()
  return {
    scope: readScope(given.get('scope'), client),
    state: short(given, 'state', 512),
    nonce: short(given, 'nonce', 512),
    resource: resourceOf(given.get('resource'), publicUrl),
    code_challenge: challenge,
    code_challenge_method: 's256',
    asks_anew: prompt.has('consent'),
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

function short(given: ReadonlyMap<string, string>, name: string, longest: number): string | null {
  const value = given.get(name) ?? null
  if (value !== null && Buffer.byteLength(value) > longest)
    throw oauthErrors.invalidRequest(`${name} must not be longer than ${longest} bytes`)
  return value
}

function goTo(location: string): Response {
  const headers = { Location: location, 'Referrer-Policy': 'no-referrer' }
  return new Response(null, { status: 302, headers })
}

/**
 * The answer to a request of an app that can go neither forward nor back: a page for a person, and the error for a
 * program.
 *
 * @throws {AuthError} `error`, for a program
 */
function refuseApp(call: AuthCall, error: AuthError): Response {
  if (!/\btext\/html\b/.test(call.request.headers.get('accept') ?? '')) throw error
  const { appRefused: texts } = visitorTexts(defaultLanguage)
  const reasons = new Map([
    ['oauth_client_not_found', texts.unknown()],
    ['invalid_client_metadata', texts.unusable()],
  ])
  const why = reasons.get(error.code) ?? texts.unregistered()
  const content = createElement(AppRefusedPage, { why })
  const { publicUrl } = call.deps.config
  const [title, description] = [pageTitle(texts.heading()), texts.heading()]
  return pageResponse(publicPage(content, { title, description, publicUrl }, {}), error.status)
}
