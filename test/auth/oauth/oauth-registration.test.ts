import { randomUUID } from 'node:crypto'
import { AuthAdminApi } from '@supabase/auth-js'
import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import {
  appCallback,
  inOrder,
  makeApp,
  pkcePair,
  sendForm,
  tokensFor,
  visitAuthorize,
} from './oauth-app.ts'
import { request } from '../requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
const register = (body: Record<string, unknown>) =>
  request(server, '/oauth/clients/register', { body })

it('an app registers itself, and its secret is stored as a hash', async () => {
  const { status, body } = await register({
    redirect_uris: [appCallback],
    client_uri: 'https://app.example/',
    software_id: 'something that we do not know',
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    client_name: 'app.example',
    client_type: 'confidential',
    registration_type: 'dynamic',
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris: [appCallback],
    client_secret_expires_at: 0,
  })
  const stored = await server.sql('select * from auth.oauth_clients where id = $1', [
    body['client_id'],
  ])
  expect(stored).toHaveLength(1)
  expect(JSON.stringify(stored)).not.toContain(body['client_secret'])
})

it.each([
  'https://app.example/callback?kept=1',
  'http://localhost/callback',
  'http://localhost:53682/callback',
  'http://127.0.0.1/callback',
  'http://[::1]:8080/callback',
  'com.example.app:/callback',
  'com.example.app://callback',
])('the OAuth server accepts the redirect address %s', async (redirectUri) => {
  expect((await register({ redirect_uris: [redirectUri] })).status).toBe(201)
})

it('an address that no app may have leaves the others registered, which the answer names', async () => {
  const mixed = ['cursor://anysphere.cursor-mcp/oauth/callback', 'javascript:alert(1)', appCallback]
  const { status, body } = await register({ redirect_uris: [...mixed, 'http://localhost/x'] })
  expect([status, body['redirect_uris']]).toEqual([201, [appCallback, 'http://localhost/x']])
  const none = await register({ redirect_uris: mixed.slice(0, 2) })
  expect([none.status, none.body['error']]).toEqual([400, 'invalid_redirect_uri'])
})

it.each([
  'http://app.example/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://localhost.evil.example/callback',
  'http://localhost@evil.example/callback',
  'https://user@app.example/callback',
  'https://app.example/callback#fragment',
  'https://app.example/callback#',
  'https://*.app.example/callback',
  'https://app.example/*',
  'https://app.example/callback?to=*',
  'http://localhost:*/callback',
  'com.example.app:/*',
  'https:app.example',
  'https:///app.example',
  'https://app.example\\@evil.example/',
  'https://app.example/ callback',
  'https://app.example/\tcallback',
  'javascript:alert(1)',
  'javascript://app.example/%0aalert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://app.example/x',
  'myapp:/callback',
  '//app.example/callback',
  '/callback',
  '',
  `https://app.example/${'x'.repeat(2_048)}`,
])('the OAuth server refuses the redirect address %j', async (redirectUri) => {
  const { status, body } = await register({ redirect_uris: [redirectUri] })
  expect([status, body['error']]).toEqual([400, 'invalid_redirect_uri'])
})

it.each<[string, Record<string, unknown>, string]>([
  ['no address', { redirect_uris: [] }, 'invalid_redirect_uri'],
  ['addresses that are not a list', { redirect_uris: appCallback }, 'invalid_redirect_uri'],
  ['eleven addresses', { redirect_uris: Array(11).fill(appCallback) }, 'invalid_redirect_uri'],
  ['a name that hides', { client_name: 'Hop\u202Etel' }, 'invalid_client_metadata'],
  ['a name that is too long', { client_name: 'x'.repeat(201) }, 'invalid_client_metadata'],
  ['a logo that is a script', { logo_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
  ['a site without https', { client_uri: 'http://app.example' }, 'invalid_client_metadata'],
  ['a site with NUL', { client_uri: 'https://app.example/\0' }, 'invalid_client_metadata'],
  ['a logo with NUL', { logo_uri: 'https://app.example/\0' }, 'invalid_client_metadata'],
  ['an unknown grant type', { grant_types: ['password'] }, 'invalid_client_metadata'],
  ['no code', { grant_types: ['refresh_token'] }, 'invalid_client_metadata'],
  ['the implicit flow', { response_types: ['token'] }, 'invalid_client_metadata'],
  [
    'a signed assertion',
    { token_endpoint_auth_method: 'private_key_jwt' },
    'invalid_client_metadata',
  ],
  ['an unknown scope', { scope: 'openid admin' }, 'invalid_client_metadata'],
])('the OAuth server refuses %s', async (_, wrong, error) => {
  const { status, body } = await register({ redirect_uris: [appCallback], ...wrong })
  expect([status, body['error']]).toEqual([400, error])
})

it('only the port of a loopback address may be another', async () => {
  const app = await makeApp(server, {
    redirect_uris: ['http://127.0.0.1:1/callback', 'com.example.app:/x'],
  })
  const status = async (redirect_uri: string) =>
    (await visitAuthorize(server, inOrder(app, pkcePair(), { redirect_uri }))).status
  expect(await status('http://127.0.0.1:53682/callback')).toBe(302)
  expect(await status('http://127.0.0.1/callback')).toBe(302)
  expect(await status('com.example.app:/x')).toBe(302)
  for (const wrong of [
    'http://127.0.0.1:53682/other',
    'http://localhost:53682/callback',
    'https://127.0.0.1:53682/callback',
    'http://127.0.0.1:53682@evil.example/callback',
    'http://127.0.0.1:536829/callback',
    'http://127.0.0.2:53682/callback',
    'com.example.app:/y',
  ])
    expect([wrong, await status(wrong)]).toEqual([wrong, 400])
})

it('the OAuth server apps cannot register themselves where the operator forbids it, and only a limited number can elsewhere', async () => {
  const closed = await startTestServer({
    auth: { ...server.context.config.auth, oauthRegistration: false },
  })
  const answer = await request(closed, '/oauth/clients/register', {
    body: { redirect_uris: [appCallback] },
  })
  expect([answer.status, answer.body['code']]).toEqual([
    403,
    'oauth_dynamic_client_registration_disabled',
  ])
  const metadata = await request(closed, '/.well-known/openid-configuration')
  expect(metadata.body).not.toHaveProperty('registration_endpoint')
  await closed.close()

  const limited = await startTestServer({ rateLimits: true })
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) {
    const body = { redirect_uris: [appCallback] }
    statuses.push((await request(limited, '/oauth/clients/register', { body })).status)
  }
  expect(statuses).toEqual([...Array<number>(10).fill(201), 429])
  await limited.close()
})

it('the operator’s official client lists, makes, reads, changes and removes apps', async () => {
  const admin = new AuthAdminApi({
    url: `${server.url}/auth/v1`,
    headers: { apikey: server.serviceRoleKey, Authorization: `Bearer ${server.serviceRoleKey}` },
  })
  const made = await admin.oauth.createClient({
    client_name: 'Partner',
    redirect_uris: [appCallback],
  })
  const id = made.data?.client_id ?? ''
  const secret = made.data?.client_secret ?? ''
  expect(made.data).toMatchObject({ registration_type: 'manual', client_type: 'confidential' })
  expect((await admin.oauth.getClient(id)).data).toMatchObject({ client_name: 'Partner' })
  expect((await admin.oauth.getClient(id)).data).not.toHaveProperty('client_secret')

  const listed = await admin.oauth.listClients({ page: 1, perPage: 1 })
  expect(listed.data.clients).toMatchObject([{ client_id: id }])
  expect(listed.data).toMatchObject({ nextPage: 2 })

  const changed = await admin.oauth.updateClient(id, { client_name: 'Partner 2' })
  expect(changed.data).toMatchObject({ client_name: 'Partner 2', redirect_uris: [appCallback] })

  const renewed = await admin.oauth.regenerateClientSecret(id)
  const knows = async (one: string) =>
    (await sendForm(server, '/oauth/revoke', { client_id: id, client_secret: one, token: 'x' }))
      .status
  expect([await knows(secret), await knows(renewed.data?.client_secret ?? '')]).toEqual([401, 200])

  const open = await admin.oauth.updateClient(id, { token_endpoint_auth_method: 'none' })
  expect(open.data).toMatchObject({ client_type: 'public' })
  expect((await admin.oauth.regenerateClientSecret(id)).error?.status).toBe(400)
  const user = await makeUser(server)
  const tokens = await tokensFor(server, user, { client_id: id }, 'links:read')
  expect((await request(server, '/user', { token: tokens.access_token })).status).toBe(200)
  const shut = await admin.oauth.updateClient(id, {
    token_endpoint_auth_method: 'client_secret_post',
  })
  expect(shut.data?.client_secret).toMatch(/^[\w-]{43}$/)

  expect((await admin.oauth.deleteClient(id)).error).toBeNull()
  expect((await request(server, '/user', { token: tokens.access_token })).status).toBe(403)
  expect((await admin.oauth.getClient(id)).error).toMatchObject({
    status: 404,
    code: 'oauth_client_not_found',
  })
  expect((await admin.oauth.deleteClient(id)).error?.status).toBe(404)
})

it('the operator’s list needs the service key', async () => {
  const user = await makeUser(server, { role: 'admin' })
  const id = '00000000-0000-0000-0000-000000000000'
  for (const [method, path] of [
    ['GET', '/admin/oauth/clients'],
    ['POST', '/admin/oauth/clients'],
    ['GET', `/admin/oauth/clients/${id}`],
    ['PUT', `/admin/oauth/clients/${id}`],
    ['DELETE', `/admin/oauth/clients/${id}`],
    ['POST', `/admin/oauth/clients/${id}/regenerate_secret`],
  ] as const) {
    const status = async (wanted: { token?: string }) =>
      (await request(server, path, { method, ...wanted })).status
    expect([path, await status({})]).toEqual([path, 401])
    expect([path, await status({ token: server.anonKey })]).toEqual([path, 403])
    expect([path, await status({ token: user.accessToken })]).toEqual([path, 403])
    expect([path, await status({ token: 'x.y.z' })]).toEqual([path, 403])
  }
})

it('an app has to authenticate, and in one way', async () => {
  const secret = await makeApp(server, { token_endpoint_auth_method: 'client_secret_basic' })
  const open = await makeApp(server)
  const id = secret.client_id
  const good = String(secret.client_secret)
  const basic = (text: string) => ({
    authorization: `Basic ${Buffer.from(text).toString('base64')}`,
  })
  const send = (form: Record<string, string>, headers?: Record<string, string>) =>
    sendForm(server, '/oauth/revoke', { token: 'x', ...form }, headers)
  expect((await send({}, basic(`${id}:${good}`))).status).toBe(200)
  expect((await send({ client_id: id, client_secret: good })).status).toBe(200)
  const wrong: [Record<string, string>, Record<string, string>?][] = [
    [{}],
    [{ client_id: id }],
    [{ client_id: id, client_secret: 'wrong' }],
    [{ client_id: randomUUID() }],
    [{ client_id: open.client_id, client_secret: good }],
    [{}, basic(`${id}:wrong`)],
    [{}, basic(`${id}:%zz`)],
    [{}, basic(id)],
    [{}, { authorization: 'Digest x' }],
  ]
  for (const [form, headers] of wrong) {
    const answer = await send(form, headers)
    expect([form, answer.status, answer.body['error']]).toEqual([form, 401, 'invalid_client'])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /)
  }
  const twice = await send({ client_secret: good }, basic(`${id}:${good}`))
  expect([twice.status, twice.body['error']]).toEqual([400, 'invalid_request'])
})

it.each([
  'Hoplet',
  'hoplet support',
  'H0plet',
  'Ноplеt',
  'Ｈｏｐｌｅｔ',
  'Hop1et Login',
  'H o p l e t',
  'hópleť',
  'Ηορⅼετ',
  'ℎ𝕠ꮲℓ℮†',
  'Ħøpłeŧ',
  'ꓧoplet',
  'Hoᴩlet',
  'ɦoplet',
  'My Hoꓑꓡet',
  'ꓧꓳꓑꓡꓰꓔ',
  'Hoplet 🎉',
  'Hop🎉let',
])('the OAuth server refuses an app that calls itself %s', async (client_name) => {
  const { status, body } = await register({ redirect_uris: [appCallback], client_name })
  expect([status, body['error']]).toEqual([400, 'invalid_client_metadata'])
})

it('the OAuth server leaves that name to the operator, and other names to everyone', async () => {
  const wanted = { redirect_uris: [appCallback], client_name: 'Hoplet for phones' }
  const path = '/admin/oauth/clients'
  expect((await request(server, path, { body: wanted, token: server.serviceRoleKey })).status).toBe(
    201,
  )
  for (const client_name of [
    'Hopper',
    'Leaflet',
    'Chocolate',
    'Привет',
    'Καλημέρα',
    '日本語アプリ',
    'Яндекс App',
    'שלום',
  ])
    expect((await register({ redirect_uris: [appCallback], client_name })).status).toBe(201)
})
