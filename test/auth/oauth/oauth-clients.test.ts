import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { allow } from './oauth-app.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
const redirectUri = 'http://127.0.0.1:53682/callback'
const issuer = () => new URL(`${server.url}/auth/v1`)

/** openid-client discovers us and registers an app. */
function register(
  metadata: Partial<oidc.ClientMetadata>,
  auth?: oidc.ClientAuth,
): Promise<oidc.Configuration> {
  return oidc.dynamicClientRegistration(
    issuer(),
    { client_name: 'Foreign app', redirect_uris: [redirectUri], ...metadata },
    auth,
    { execute: [oidc.allowInsecureRequests] },
  )
}

/** The browser's part: it is sent to the consent screen, and from there back to the app. */
async function follow(address: URL, user: Awaited<ReturnType<typeof makeUser>>): Promise<URL> {
  const response = await fetch(address, { redirect: 'manual' })
  expect(response.status).toBe(302)
  const consent = new URL(response.headers.get('location') ?? '')
  expect(`${consent.origin}${consent.pathname}`).toBe(`${server.url}/oauth/consent`)
  return allow(server, user, consent.searchParams.get('authorization_id') ?? '')
}

it.each([
  ['a public app', { token_endpoint_auth_method: 'none' }, () => oidc.None()],
  [
    'an app with a secret by Basic',
    { token_endpoint_auth_method: 'client_secret_basic' },
    undefined,
  ],
  [
    'an app with a secret in the form',
    { token_endpoint_auth_method: 'client_secret_post' },
    undefined,
  ],
])(
  'openid-client: %s registers, signs in, refreshes, reads and revokes',
  async (_, metadata, auth) => {
    const user = await makeUser(server, { data: { display_name: 'Ann' } })
    await makeLink(server, user)
    const app = await register(metadata, auth?.())
    expect(app.serverMetadata().issuer).toBe(issuer().href)
    const verifier = oidc.randomPKCECodeVerifier()
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()]
    const address = oidc.buildAuthorizationUrl(app, {
      redirect_uri: redirectUri,
      scope: 'openid profile email offline_access links:read',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    })
    // It checks state, iss (RFC 9207), nonce, at_hash, audience, issuer, times and the signature's algorithm.
    const tokens = await oidc.authorizationCodeGrant(app, await follow(address, user), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
      maxAge: 600,
    })
    const claims = tokens.claims()
    expect([claims?.sub, claims?.['email'], claims?.['email_verified']]).toEqual([
      user.id,
      user.email,
      false,
    ])
    const keys = createRemoteJWKSet(new URL(String(app.serverMetadata().jwks_uri)))
    await jwtVerify(String(tokens.id_token), keys, { audience: app.clientMetadata().client_id })

    const info = await oidc.fetchUserInfo(app, tokens.access_token, user.id)
    expect([info.name, info.email]).toEqual(['Ann', user.email])

    const next = await oidc.refreshTokenGrant(app, String(tokens.refresh_token))
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    const links = () =>
      fetch(`${server.url}/rest/v1/shortened_urls?select=short_code`, {
        headers: { apikey: server.anonKey, authorization: `Bearer ${next.access_token}` },
      })
    expect(await (await links()).json()).toHaveLength(1)

    await oidc.tokenRevocation(app, String(next.refresh_token))
    expect((await links()).status).toBe(401)
    await expect(oidc.refreshTokenGrant(app, String(next.refresh_token))).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(oidc.fetchUserInfo(app, next.access_token, user.id)).rejects.toThrow()
  },
)

it('the OAuth server is found by both kinds of discovery, at every address where apps look', async () => {
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    const found = await oidc.discovery(issuer(), 'nobody', undefined, undefined, {
      algorithm,
      execute: [oidc.allowInsecureRequests],
    })
    expect(found.serverMetadata().supportsPKCE()).toBe(true)
  }
  const at = async (path: string) => (await fetch(`${server.url}${path}`)).json()
  const metadata = await at('/auth/v1/.well-known/openid-configuration')
  expect(metadata.issuer).toBe(issuer().href)
  for (const path of [
    '/auth/v1/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/auth/v1',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration/auth/v1',
  ])
    expect(await at(path)).toEqual(metadata)
  expect(await at('/.well-known/oauth-protected-resource/rest/v1')).toMatchObject({
    resource: `${server.url}/rest/v1`,
    authorization_servers: [issuer().href],
  })
  expect((await fetch(`${server.url}/.well-known/something-else`)).status).toBe(404)
})
