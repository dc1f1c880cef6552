import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { allow, appCallback } from '#test/auth/oauth/oauth-app.ts'
import type { TestUser } from '#test/factories.ts'
import type { TestServer } from '#test/server.ts'

type Server = Pick<TestServer, 'url' | 'anonKey'>

/** Answers the consent screen of this address in a browser. @returns the code that the app gets */
type Consent = (asked: URL) => Promise<string>

/** The sign-in that the official client keeps, and the person who answers the consent screen in their browser. */
function providerFor(server: Server, person: TestUser | Consent, scope?: string) {
  const kept: {
    client?: OAuthClientInformationMixed
    tokens?: OAuthTokens
    verifier?: string
    code?: string
    asked?: URL
  } = {}
  const provider: OAuthClientProvider = {
    redirectUrl: appCallback,
    clientMetadata: {
      client_name: 'Desk Agent',
      redirect_uris: [appCallback],
      token_endpoint_auth_method: 'none',
      ...(scope !== undefined && { scope }),
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    codeVerifier: () => kept.verifier ?? '',
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    async redirectToAuthorization(url) {
      kept.asked = url
      if (typeof person === 'function') {
        kept.code = await person(url)
        return
      }
      const response = await fetch(url, { redirect: 'manual' })
      const consent = new URL(response.headers.get('location') ?? '')
      const id = consent.searchParams.get('authorization_id') ?? ''
      if (id === '') throw new Error(`authorize led to ${consent.href}`)
      kept.code = (await allow(server, person, id)).searchParams.get('code') ?? ''
    },
  }
  return { provider, kept }
}

const transportTo = (server: Server, provider: OAuthClientProvider) =>
  new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { authProvider: provider })

const newClient = () => new Client({ name: 'desk-agent', version: '1.0.0' })

/** From the first refusal through discovery, registration, PKCE and consent to a client that works. */
export async function connectAgent(server: Server, person: TestUser | Consent, scope?: string) {
  const { provider, kept } = providerFor(server, person, scope)
  const first = transportTo(server, provider)
  try {
    await newClient().connect(first as Transport)
    throw new Error('the server asked for no token')
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
  }
  await first.finishAuth(kept.code ?? '')
  const client = newClient()
  await client.connect(transportTo(server, provider) as Transport)
  return { client, kept, token: kept.tokens?.access_token ?? '' }
}

/** One message without the official client. */
export function post(
  server: TestServer,
  message: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const call = (name: string, given: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: given },
})
