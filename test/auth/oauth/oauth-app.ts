import { createHash, randomBytes } from 'node:crypto'
import type { TestUser } from '#test/factories.ts'
import type { TestServer } from '#test/server.ts'
import { type Answer, type Body, request } from '../requests.ts'

type Server = Pick<TestServer, 'url' | 'anonKey'>

export interface App {
  client_id: string
  client_secret?: string
}

export const appCallback = 'https://app.example/callback'

/** Registers an app as apps do it themselves; default: public. */
export async function makeApp(server: Server, wanted: Record<string, unknown> = {}): Promise<App> {
  const { status, body } = await request(server, '/oauth/clients/register', {
    body: {
      client_name: 'Example App',
      redirect_uris: [appCallback],
      token_endpoint_auth_method: 'none',
      ...wanted,
    },
  })
  if (status !== 201) throw new Error(`registration answered ${status}: ${JSON.stringify(body)}`)
  return {
    client_id: text(body['client_id']),
    ...(body['client_secret'] !== undefined && { client_secret: text(body['client_secret']) }),
  }
}

export interface Pair {
  verifier: string
  challenge: string
}

export function pkcePair(): Pair {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The answer to a browser that follows nothing from GET /oauth/authorize. */
export function visitAuthorize(
  server: Server,
  parameters: Record<string, string> | URLSearchParams,
): Promise<Response> {
  const query = new URLSearchParams(parameters)
  return fetch(`${server.url}/auth/v1/oauth/authorize?${query}`, { redirect: 'manual' })
}

/** The parameters of a request that is in order. */
export function inOrder(app: App, pair: Pair, wanted: Record<string, string> = {}) {
  return {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: appCallback,
    scope: 'openid links:read',
    code_challenge: pair.challenge,
    code_challenge_method: 'S256',
    ...wanted,
  }
}

/** As far as the consent screen. @returns the id that is in its address */
export async function askFor(
  server: Server,
  app: App,
  pair: Pair,
  wanted: Record<string, string> = {},
): Promise<string> {
  const response = await visitAuthorize(server, inOrder(app, pair, wanted))
  const location = new URL(response.headers.get('location') ?? '')
  const id = location.searchParams.get('authorization_id')
  if (location.pathname !== '/oauth/consent' || id === null)
    throw new Error(`authorize led to ${location.href}`)
  return id
}

/** The person reads the request and allows it, unless they have before. @returns the address that they are sent to */
export async function allow(server: Server, user: TestUser, id: string): Promise<URL> {
  const token = user.accessToken
  const read = await request(server, `/oauth/authorizations/${id}`, { token })
  if (read.status !== 200) throw new Error(`reading answered ${read.status}`)
  if (read.body['redirect_url'] !== undefined) return new URL(text(read.body['redirect_url']))
  const decided = await request(server, `/oauth/authorizations/${id}/consent`, {
    token,
    body: { action: 'approve' },
  })
  return new URL(text(decided.body['redirect_url']))
}

/** POST to an endpoint of the OAuth server, form-encoded. */
export function sendForm(
  server: Server,
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return request(server, path, {
    method: 'POST',
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

export async function codeFor(
  server: Server,
  user: TestUser,
  app: App,
  pair: Pair,
  wanted: Record<string, string> = {},
): Promise<string> {
  const url = await allow(server, user, await askFor(server, app, pair, wanted))
  return url.searchParams.get('code') ?? ''
}

export interface AppTokens extends Body {
  access_token: string
  refresh_token: string
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Everything from the first visit to the tokens. */
export async function tokensFor(
  server: Server,
  user: TestUser,
  app: App,
  scope: string,
): Promise<AppTokens> {
  const pair = pkcePair()
  const code = await codeFor(server, user, app, pair, { scope })
  const { status, body } = await sendForm(server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code,
    code_verifier: pair.verifier,
    redirect_uri: appCallback,
  })
  if (status !== 200) throw new Error(`the exchange answered ${status}: ${JSON.stringify(body)}`)
  return {
    ...body,
    access_token: text(body['access_token']),
    refresh_token: text(body['refresh_token']),
  }
}
