import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import {
  allow,
  type App,
  appCallback,
  askFor,
  inOrder,
  makeApp,
  pkcePair,
  tokensFor,
  visitAuthorize,
} from './oauth-app.ts'
import { request } from '../requests.ts'

let server: TestServer
let user: TestUser
let app: App
beforeAll(async () => {
  server = await sharedServer()
  user = await makeUser(server)
  app = await makeApp(server)
})
it.each<[string, Record<string, string>]>([
  ['an app that is not there', { client_id: randomUUID() }],
  ['an id that is none', { client_id: "' or 1=1" }],
  ['an id with NUL', { client_id: '\0' }],
  ['another path', { redirect_uri: `${appCallback}/` }],
  ['another host', { redirect_uri: 'https://app.example.evil.example/callback' }],
  ['another scheme', { redirect_uri: 'http://app.example/callback' }],
  ['a port', { redirect_uri: 'https://app.example:8443/callback' }],
  ['a query', { redirect_uri: `${appCallback}?x=1` }],
  ['a fragment', { redirect_uri: `${appCallback}#x` }],
  ['a user', { redirect_uri: 'https://app.example@evil.example/callback' }],
  ['a way up', { redirect_uri: 'https://app.example/callback/../callback' }],
  ['another case', { redirect_uri: 'https://app.example/Callback' }],
  ['an encoded letter', { redirect_uri: 'https://app.example/%63allback' }],
  ['a backslash', { redirect_uri: 'https://app.example\\@evil.example/callback' }],
  ['a relative address', { redirect_uri: '//app.example/callback' }],
  ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ['nothing', { redirect_uri: '' }],
])('a request with %s leads nowhere', async (_, wrong) => {
  const response = await visitAuthorize(server, inOrder(app, pkcePair(), wrong))
  expect([response.status, response.headers.get('location')]).toEqual([400, null])
})

it('a person reads on a page why a request leads nowhere', async () => {
  const query = new URLSearchParams(
    inOrder(app, pkcePair(), { redirect_uri: 'https://evil.example/' }),
  )
  const response = await fetch(`${server.url}/auth/v1/oauth/authorize?${query}`, {
    redirect: 'manual',
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  })
  const page = await response.text()
  expect([response.status, response.headers.get('location')]).toEqual([400, null])
  expect(page).toContain('This app cannot be connected')
  expect(page).not.toContain('evil.example')
})

it('a request with two redirect addresses leads nowhere', async () => {
  const query = new URLSearchParams(inOrder(app, pkcePair()))
  query.append('redirect_uri', 'https://evil.example/')
  const response = await visitAuthorize(server, query)
  expect([response.status, response.headers.get('location')]).toEqual([400, null])
})

it.each<[string, Record<string, string>, string]>([
  ['no challenge', { code_challenge: '' }, 'invalid_request'],
  ['the plain method', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['no method', { code_challenge_method: '' }, 'invalid_request'],
  ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
  ['tokens in the fragment', { response_type: 'token' }, 'unsupported_response_type'],
  ['the hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['an answer in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
  ['an unknown scope', { scope: 'openid admin' }, 'invalid_scope'],
  ['no scope', { scope: '' }, 'invalid_scope'],
  ['another resource', { resource: 'https://evil.example/' }, 'invalid_target'],
  ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
  ['no question wanted', { prompt: 'none' }, 'interaction_required'],
  ['a nonce that is too long', { nonce: 'n'.repeat(513) }, 'invalid_request'],
])('a request with %s goes back to the app with its state', async (_, wrong, error) => {
  const response = await visitAuthorize(
    server,
    inOrder(app, pkcePair(), { state: 'S T', ...wrong }),
  )
  const location = new URL(response.headers.get('location') ?? '')
  expect([response.status, `${location.origin}${location.pathname}`]).toEqual([302, appCallback])
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    error,
    state: 'S T',
    iss: `${server.url}/auth/v1`,
  })
})

it('the OAuth server takes a state of 512 bytes and keeps the newest 100 requests of an app and client address', async () => {
  const busy = await makeApp(server)
  const ask = (state: string) => visitAuthorize(server, inOrder(busy, pkcePair(), { state }))
  const rows = () =>
    server.sql<{ id: string; state: string }>(
      'select id, state from auth.oauth_authorizations where client_id = $1 order by created_at',
      [busy.client_id],
    )
  const locationOf = async (state: string) => (await ask(state)).headers.get('location')
  expect(await locationOf('ä'.repeat(257))).toContain('error=invalid_request')
  expect(await rows()).toEqual([])
  expect(await locationOf('ä'.repeat(256))).toContain('/oauth/consent')
  // Of another address, and one that a person has allowed.
  await server.sql(
    `update auth.oauth_authorizations set origin = 'elsewhere' where client_id = $1`,
    [busy.client_id],
  )
  await allow(server, user, await askFor(server, busy, pkcePair(), { state: 'allowed' }))
  for (let n = 0; n < 103; n++) await ask(String(n))
  const kept = await rows()
  expect(kept.map(({ state }) => state)).toEqual([
    'ä'.repeat(256),
    'allowed',
    ...Array.from({ length: 100 }, (_, n) => String(n + 3)),
  ])
})

it('an app cannot ask for more than it has registered', async () => {
  const modest = await makeApp(server, { scope: 'openid links:read' })
  const response = await visitAuthorize(
    server,
    inOrder(modest, pkcePair(), { scope: 'links:write' }),
  )
  expect(response.headers.get('location')).toContain('error=invalid_scope')
})

it('the answer carries state and issuer, against mix-up (RFC 9207)', async () => {
  const url = await allow(server, user, await askFor(server, app, pkcePair(), { state: 'a&b=c' }))
  expect(url.searchParams.get('state')).toBe('a&b=c')
  expect(url.searchParams.get('iss')).toBe(`${server.url}/auth/v1`)
})

it('a request belongs to the account that reads it first; other accounts cannot see it', async () => {
  const id = await askFor(server, app, pkcePair(), { scope: 'links:read links:write' })
  const stranger = await makeUser(server)
  const decide = (token: string) =>
    request(server, `/oauth/authorizations/${id}/consent`, { token, body: { action: 'approve' } })
  expect((await decide(stranger.accessToken)).status).toBe(404)
  const read = (token: string) => request(server, `/oauth/authorizations/${id}`, { token })
  expect((await read(user.accessToken)).status).toBe(200)
  expect((await read(user.accessToken)).status).toBe(200)
  const foreign = await read(stranger.accessToken)
  expect([foreign.status, foreign.body['code']]).toEqual([404, 'oauth_authorization_not_found'])
  expect((await decide(stranger.accessToken)).status).toBe(404)
  expect((await decide(user.accessToken)).status).toBe(200)
  expect((await decide(user.accessToken)).status).toBe(404)
  expect(
    (await request(server, '/oauth/authorizations/x', { token: user.accessToken })).status,
  ).toBe(404)
})

it('the account that reads a request can leave it to another account, until it is answered', async () => {
  const id = await askFor(server, app, pkcePair(), { prompt: 'consent' })
  const other = await makeUser(server)
  const call = async (path: string, { accessToken: token }: TestUser, body?: object) => {
    const answer = await request(server, `/oauth/authorizations/${id}${path}`, {
      token,
      ...(body && { body }),
    })
    return answer.status
  }
  const release = (by: TestUser) => call('/release', by, {})
  // Of no account, then of another, then of none again.
  expect(await release(user)).toBe(404)
  expect(await call('', user)).toBe(200)
  expect([await release(other), await call('', other)]).toEqual([404, 404])
  expect([await release(user), await release(user)]).toEqual([204, 404])
  expect(await call('/consent', user, { action: 'approve' })).toBe(404)
  expect([await call('', other), await call('', user)]).toEqual([200, 404])
  expect(await call('/consent', other, { action: 'approve' })).toBe(200)
  expect(await release(other)).toBe(404)
})

it('the OAuth server needs sign-in, by the person and not by an app', async () => {
  const { access_token: token } = await tokensFor(
    server,
    user,
    app,
    'openid profile email links:write',
  )
  const id = await askFor(server, app, pkcePair())
  const calls: [string, string, unknown?][] = [
    ['GET', `/oauth/authorizations/${id}`],
    ['POST', `/oauth/authorizations/${id}/consent`, { action: 'approve' }],
    ['POST', `/oauth/authorizations/${id}/release`, {}],
    ['GET', '/user/oauth/grants'],
    ['DELETE', `/user/oauth/grants?client_id=${app.client_id}`],
    ['PUT', '/user', { password: 'stolen by an app' }],
    ['POST', '/logout', {}],
    ['POST', '/factors', { factor_type: 'totp' }],
  ]
  for (const [method, path, body] of calls) {
    const send = (headers: { token?: string }) =>
      request(server, path, { method, ...headers, ...(body !== undefined && { body }) })
    expect([path, (await send({})).status]).toEqual([path, 401])
    const answer = await send({ token })
    expect([path, answer.status, answer.body['code']]).toEqual([path, 403, 'insufficient_scope'])
  }
  const admin = await request(server, '/admin/oauth/clients', { token: user.accessToken })
  expect([admin.status, admin.body['code']]).toEqual([403, 'not_admin'])
  expect((await request(server, '/admin/oauth/clients')).status).toBe(401)
})

it('a session that has not shown the second factor allows no app', async () => {
  const careful = await makeUser(server)
  await server.sql(
    `insert into auth.factors (user_id, factor_type, status) values ($1, 'totp', 'verified')`,
    [careful.id],
  )
  const id = await askFor(server, app, pkcePair())
  const answer = await request(server, `/oauth/authorizations/${id}`, {
    token: careful.accessToken,
  })
  expect([answer.status, answer.body['code']]).toEqual([403, 'insufficient_aal'])
})

it('a request for our own addresses as resource goes on; prompt=consent asks again', async () => {
  const scope = 'links:read'
  await tokensFor(server, user, app, scope)
  const read = async (wanted: Record<string, string>) => {
    const id = await askFor(server, app, pkcePair(), { scope, ...wanted })
    const { body } = await request(server, `/oauth/authorizations/${id}`, {
      token: user.accessToken,
    })
    return Object.keys(body)
  }
  expect(await read({ resource: `${server.url}/rest/v1` })).toEqual(['redirect_url'])
  expect(await read({ prompt: 'consent' })).toContain('scope')
})

it('the OAuth server asks again for another resource, and each time where any program of the device could wait for the answer', async () => {
  const loopback = 'http://127.0.0.1:4711/callback'
  const own = 'com.example.app:/callback'
  const native = await makeApp(server, { redirect_uris: [appCallback, loopback, own] })
  const scope = 'links:read'
  const read = async (wanted: Record<string, string>) => {
    const id = await askFor(server, native, pkcePair(), { scope, ...wanted })
    const { body } = await request(server, `/oauth/authorizations/${id}`, {
      token: user.accessToken,
    })
    return { id, isAsked: body['redirect_url'] === undefined, client: body['client'] }
  }
  const approve = async (id: string) => {
    const path = `/oauth/authorizations/${id}/consent`
    const body = { action: 'approve' }
    expect((await request(server, path, { token: user.accessToken, body })).status).toBe(200)
  }
  const mcp = { resource: `${server.url}/mcp` }
  const first = await read(mcp)
  expect(first).toMatchObject({ isAsked: true, client: { registration: 'dynamic' } })
  await approve(first.id)
  expect((await read(mcp)).isAsked).toBe(false)
  const doors = await read({})
  expect(doors.isAsked).toBe(true)
  await approve(doors.id)
  expect((await read({})).isAsked).toBe(false)
  expect((await read(mcp)).isAsked).toBe(false)
  for (const redirect_uri of [loopback, 'http://127.0.0.1:4712/callback', own]) {
    const { id, isAsked } = await read({ redirect_uri })
    expect([redirect_uri, isAsked]).toEqual([redirect_uri, true])
    await approve(id)
    expect((await read({ redirect_uri })).isAsked).toBe(true)
  }
})
