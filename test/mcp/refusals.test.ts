import { beforeAll, expect, it } from 'vitest'
import {
  pkcePair,
  codeFor,
  makeApp,
  sendForm,
  tokensFor,
  appCallback,
} from '#test/auth/oauth/oauth-app.ts'
import { request } from '#test/auth/requests.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { mcpScopes } from '#server/tokens/audiences.ts'
import { bearer, call, connectAgent, post } from './agent.ts'

let server: TestServer
let person: TestUser
let token: string
beforeAll(async () => {
  server = await sharedServer()
  person = await makeUser(server)
  token = (await connectAgent(server, person)).token
})
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const metadata = () => `resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`

async function refused(given: string | undefined, message: unknown = list) {
  const response = await post(server, message, given === undefined ? {} : bearer(given))
  const { error } = (await response.json()) as { error?: unknown }
  return [response.status, error, response.headers.get('www-authenticate')]
}
const allScopes = `scope="${mcpScopes.join(' ')}"`
const invalid = () => [
  401,
  'invalid_token',
  `Bearer error="invalid_token", ${allScopes}, ${metadata()}`,
]

async function mcpTokens(scope: string, wanted: Record<string, string> = {}) {
  const app = await makeApp(server)
  const pair = pkcePair()
  const resource = `${server.url}/mcp`
  const code = await codeFor(server, person, app, pair, { scope, resource })
  const { status, body } = await sendForm(server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code,
    code_verifier: pair.verifier,
    redirect_uri: appCallback,
    ...wanted,
  })
  return {
    app,
    status,
    body,
    access: String(body['access_token']),
    refresh: String(body['refresh_token']),
  }
}

it('the MCP door says where a token comes from and which scopes to ask for, and a good one works', async () => {
  const challenge = `Bearer ${allScopes}, ${metadata()}`
  expect(await refused(undefined)).toEqual([401, 'unauthorized', challenge])
  const found = await fetch(`${server.url}/.well-known/oauth-protected-resource/mcp`)
  expect(await found.json()).toMatchObject({
    resource: `${server.url}/mcp`,
    authorization_servers: [`${server.url}/auth/v1`],
    scopes_supported: expect.arrayContaining(['links:write', 'bio:write']) as unknown,
  })
  expect((await post(server, list, bearer(token))).status).toBe(200)
})

it('the MCP door refuses tokens of another audience, here and at the other doors', async () => {
  const app = await makeApp(server)
  const { access_token: forDoors } = await tokensFor(server, person, app, 'links:read')
  for (const other of [
    forDoors,
    person.accessToken,
    server.anonKey,
    server.serviceRoleKey,
    'no token',
  ])
    expect(await refused(other)).toEqual(invalid())
  const at = (path: string, given: string) =>
    fetch(`${server.url}${path}`, { headers: bearer(given) }).then(({ status }) => status)
  expect(await at('/rest/v1/shortened_urls', forDoors)).toBe(200)
  expect(await at('/rest/v1/shortened_urls', token)).toBe(401)
  expect(await at('/auth/v1/user', forDoors)).toBe(200)
  expect(await at('/auth/v1/user', token)).toBe(403)
  expect(await at('/functions/v1/click-log', token)).toBe(401)
})

it('no header names the caller to the table door', async () => {
  const headers = { ...bearer(token), 'x-agent': person.id, apikey: token }
  expect((await fetch(`${server.url}/rest/v1/shortened_urls`, { headers })).status).toBe(401)
})

it('a token gets the audience that was asked for, and no other', async () => {
  const good = await mcpTokens('links:read offline_access')
  expect(good.status).toBe(200)
  const refresh = (resource?: string) =>
    sendForm(server, '/oauth/token', {
      grant_type: 'refresh_token',
      client_id: good.app.client_id,
      refresh_token: good.refresh,
      ...(resource !== undefined && { resource }),
    })
  for (const other of [`${server.url}/rest/v1`, `${server.url}/other`, 'https://evil.example/mcp'])
    expect(await refresh(other)).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
  const next = await refresh(`${server.url}/mcp/`)
  expect(next.status).toBe(200)
  expect((await post(server, list, bearer(String(next.body['access_token'])))).status).toBe(200)

  const other = { resource: `${server.url}/rest/v1` }
  expect(await mcpTokens('links:read', other)).toMatchObject({
    status: 400,
    body: { error: 'invalid_target' },
  })
  const app = await makeApp(server)
  const pair = pkcePair()
  const code = await codeFor(server, person, app, pair, { scope: 'links:read' })
  const wider = await sendForm(server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code,
    code_verifier: pair.verifier,
    resource: `${server.url}/mcp`,
  })
  expect(wider).toMatchObject({ status: 400, body: { error: 'invalid_target' } })
})

it('without its scope a tool is not listed, and calling it names the scope', async () => {
  const { access } = await mcpTokens('links:read')
  const { result } = (await (await post(server, list, bearer(access))).json()) as {
    result: { tools: { name: string }[] }
  }
  expect(result.tools.map(({ name }) => name)).toEqual([
    'find_links',
    'get_link',
    'list_placements',
    'get_link_rules',
    'simulate_visit',
    'list_domains',
    'check_domain',
  ])
  const create = call('create_link', { original_url: 'https://example.com/' })
  expect(await refused(access, create)).toEqual([
    403,
    'insufficient_scope',
    `Bearer error="insufficient_scope", scope="links:read links:write", ${metadata()}`,
  ])
  const links = await fetch(`${server.url}/rest/v1/shortened_urls?select=id`, {
    headers: person.headers,
  })
  expect(await links.json()).toEqual([])
})

it('the MCP door refuses a revoked token at once', async () => {
  const { access, app } = await mcpTokens('links:read')
  expect((await post(server, list, bearer(access))).status).toBe(200)
  const form = { client_id: app.client_id, token: access }
  expect((await sendForm(server, '/oauth/revoke', form)).status).toBe(200)
  expect(await refused(access)).toEqual(invalid())

  const taken = await mcpTokens('links:read')
  const path = `/user/oauth/grants?client_id=${taken.app.client_id}`
  await request(server, path, { method: 'DELETE', token: person.accessToken })
  expect(await refused(taken.access)).toEqual(invalid())
})

it('the MCP door refuses the token of a banned person', async () => {
  const banned = await makeUser(server)
  const { token: theirs } = await connectAgent(server, banned)
  expect((await post(server, list, bearer(theirs))).status).toBe(200)
  await server.sql(`update auth.users set banned_until = now() + interval '1 day' where id = $1`, [
    banned.id,
  ])
  expect(await refused(theirs)).toEqual(invalid())
})

it('the MCP door refuses a token that has expired, and one that was changed', async () => {
  const payload = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  ) as object
  const old = await server.context.tokens.sign(
    Object.fromEntries(
      Object.entries(payload).filter(([name]) => name !== 'exp' && name !== 'iat'),
    ),
    -120,
  )
  expect(await refused(old)).toEqual(invalid())
  const fresh = await server.context.tokens.sign(payload as Record<string, unknown>, 60)
  expect((await post(server, list, bearer(fresh))).status).toBe(200)
  expect(await refused(`${token.slice(0, -6)}AAAAAA`)).toEqual(invalid())
})

it('the MCP door refuses pages of other origins', async () => {
  const from = (origin: string) => post(server, list, { ...bearer(token), origin })
  for (const origin of ['https://evil.example', 'null', 'http://localhost:1'])
    expect((await from(origin)).status).toBe(403)
  expect((await from(server.url)).status).toBe(200)
})

it('the MCP door takes POST only', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const response = await fetch(`${server.url}/mcp`, { method, headers: bearer(token) })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  }
})

it.each([
  ['no JSON', '{', 400, -32_700],
  ['nothing', '', 400, -32_600],
  ['a batch', [list], 400, -32_600],
  ['no JSON-RPC', { method: 'tools/list' }, 400, -32_700],
  ['a number', 7, 400, -32_600],
  ['a null', 'null', 400, -32_600],
  ['odd params', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: null }, 400, -32_700],
  ['2 MB', { ...list, params: { filler: 'x'.repeat(2_000_000) } }, 413, -32_600],
  ['an unknown method', { ...list, method: 'tools/explode' }, 200, -32_601],
  ['an unknown tool', call('explode'), 200, -32_602],
])('the MCP door answers %s with the protocol’s error', async (_what, message, status, code) => {
  const response = await post(server, message, bearer(token))
  expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
})

it('the MCP door refuses other types and protocol versions', async () => {
  const sent = (headers: Record<string, string>) =>
    post(server, list, { ...bearer(token), ...headers })
  expect((await sent({ 'content-type': 'text/plain' })).status).toBe(415)
  expect((await sent({ accept: 'text/html' })).status).toBe(406)
  expect((await sent({ 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
  expect((await sent({ 'mcp-protocol-version': '2025-06-18' })).status).toBe(200)
})
