import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { getPublicFrom } from '#test/public-names.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import {
  allow,
  appCallback,
  askFor,
  codeFor,
  inOrder,
  pkcePair,
  sendForm,
  visitAuthorize,
} from './oauth-app.ts'
import { request } from '../requests.ts'

const url = 'https://app.example/client.json'
const document = {
  client_id: url,
  client_name: 'Document App',
  client_uri: 'https://elsewhere.example/',
  redirect_uris: [appCallback],
  grant_types: ['authorization_code', 'refresh_token', 'urn:example:other'],
  response_types: ['code', 'token'],
  scope: 'openid links:read offline_access something:else',
  token_endpoint_auth_method: 'none',
}
const serving =
  (body: unknown): RequestListener =>
  (_request, response) =>
    response.end(typeof body === 'string' ? body : JSON.stringify(body))

let host: Server
let answer: RequestListener
let reads = 0
beforeEach(() => {
  answer = serving(document)
  reads = 0
})

const getPublic = getPublicFrom(() => (host.address() as AddressInfo).port)

let server: TestServer
let person: TestUser
beforeAll(async () => {
  host = createServer((asked, response) => {
    reads++
    answer(asked, response)
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  server = await startTestServer({}, { getPublic })
  person = await makeUser(server)
})
afterAll(async () => {
  await server.close()
  host.close()
})

const app = (id = url) => ({ client_id: id })

async function visit(id: string, on = server) {
  const response = await visitAuthorize(on, inOrder(app(id), pkcePair()))
  const body = response.status === 302 ? {} : ((await response.json()) as Record<string, unknown>)
  return [response.status, body['error'] ?? body['error_code']]
}

it('an app with the address of its document as id signs a person in, and the document is read once', async () => {
  const metadata = await request(server, '/.well-known/oauth-authorization-server')
  expect(metadata.body).toMatchObject({ client_id_metadata_document_supported: true })
  const pair = pkcePair()
  const wanted = { scope: 'openid links:read offline_access' }
  const id = await askFor(server, app(), pair, wanted)
  const shown = await request(server, `/oauth/authorizations/${id}`, { token: person.accessToken })
  expect(shown.body).toMatchObject({
    client: { name: 'Document App', uri: url, registration: 'dynamic' },
  })
  const code = (await allow(server, person, id)).searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', code, code_verifier: pair.verifier }
  const other = await sendForm(server, '/oauth/token', { ...grant, ...app(`${url}?2`) })
  expect([other.status, other.body['error']]).toEqual([401, 'invalid_client'])
  const { status, body } = await sendForm(server, '/oauth/token', { ...grant, ...app() })
  expect(status).toBe(200)
  expect(decodeJwt(String(body['id_token'])).aud).toBe(url)
  const refreshed = await sendForm(server, '/oauth/token', {
    ...app(),
    grant_type: 'refresh_token',
    refresh_token: String(body['refresh_token']),
  })
  expect(refreshed.status).toBe(200)
  expect(await codeFor(server, person, app(), pkcePair(), wanted)).not.toBe('')
  expect(reads).toBe(1)
})

it('the OAuth server reads the document again after an hour, and ends requests for addresses that it no longer has', async () => {
  expect(await visit(url)).toEqual([302, undefined])
  const age = `update auth.oauth_clients set updated_at = now() - interval '61 minutes' where document_url = $1`
  const pending = () =>
    server.sql(
      `select 1 from auth.oauth_authorizations a join auth.oauth_clients c on c.id = a.client_id
        where c.document_url = $1 and a.status = 'pending'`,
      [url],
    )
  await server.sql(age, [url])
  reads = 0
  expect(await visit(url)).toEqual([302, undefined])
  expect(reads).toBe(1)
  expect(await pending()).not.toHaveLength(0)

  answer = serving({ ...document, redirect_uris: ['https://app.example/other'] })
  await server.sql(age, [url])
  expect(await visit(url)).toEqual([400, 'validation_failed'])
  expect(await pending()).toHaveLength(0)

  answer = (_request, response) => response.writeHead(404).end()
  await server.sql(age, [url])
  expect(await visit(url)).toEqual([400, 'invalid_client_metadata'])
})

const wrongId = 'https://app.example/wrong.json'
it.each<[string, unknown, string]>([
  ['another client_id', { client_id: url }, 'client_id'],
  ['no client_id', { client_id: undefined }, 'client_id'],
  ['no name', { client_name: undefined }, 'client_name'],
  ['a name like the product’s', { client_name: 'H0plet' }, 'client_name'],
  ['no redirect address', { redirect_uris: [] }, 'redirect_uris'],
  ['a wrong redirect address', { redirect_uris: ['javascript:alert(1)'] }, 'redirect_uris.0'],
  ['a shared secret', { token_endpoint_auth_method: 'client_secret_post' }, 'token_endpoint_auth'],
  ['a signed assertion', { token_endpoint_auth_method: 'private_key_jwt' }, 'token_endpoint_auth'],
  ['its secret', { client_secret: 'known to all' }, 'client_secret'],
  ['no code', { grant_types: ['refresh_token'] }, 'grant_types'],
  ['more than 5 kB', { padding: 'x'.repeat(5_120) }, 'it must be JSON of up to 5120 bytes'],
  ['no JSON', '<html>', 'Invalid input'],
])('the OAuth server refuses a document with %s', async (_what, wrong, why) => {
  answer = serving(
    typeof wrong === 'object' ? { ...document, client_id: wrongId, ...wrong } : wrong,
  )
  const response = await visitAuthorize(server, inOrder(app(wrongId), pkcePair()))
  const start = `The document of the app cannot be used: ${why}`
  expect([response.status, await response.json()]).toEqual([
    400,
    {
      error: 'invalid_client_metadata',
      error_description: expect.stringContaining(start) as string,
    },
  ])
  expect(reads).toBe(1)
})

it('the OAuth server follows no redirect and connects to no private address', async () => {
  answer = (_request, response) => response.writeHead(302, { location: url }).end()
  const refused = [400, 'invalid_client_metadata']
  expect(await visit('https://app.example/moved.json')).toEqual(refused)
  expect(reads).toBe(1)
  answer = serving(document)
  for (const id of [
    'https://private.example/client.json',
    'https://127.0.0.1/client.json',
    'https://[::1]:8443/client.json',
    'https://localhost/client.json',
    'https://app.example:22/client.json',
  ])
    expect([id, await visit(id)]).toEqual([id, refused])
  expect(reads).toBe(1)
})

it.each([
  'http://app.example/client.json',
  'https://app.example',
  'https://app.example/',
  'https://app.example/a/../client.json',
  'https://APP.example/client.json',
  'https://user@app.example/client.json',
  'https://app.example/client.json#part',
  `https://app.example/${'x'.repeat(500)}`,
])('the OAuth server reads nothing for the id %s', async (id) => {
  expect(await visit(id)).toEqual([400, 'oauth_client_not_found'])
  expect(reads).toBe(0)
})

it('the OAuth server reads no document where apps cannot register themselves, and only a limited number elsewhere', async () => {
  const auth = { ...server.context.config.auth, oauthRegistration: false }
  const closed = await startTestServer({ auth }, { getPublic })
  expect(await visit(url, closed)).toEqual([400, 'oauth_client_not_found'])
  const metadata = await request(closed, '/.well-known/oauth-authorization-server')
  expect(metadata.body).toMatchObject({ client_id_metadata_document_supported: false })
  await closed.close()
  expect(reads).toBe(0)

  const limited = await startTestServer({ rateLimits: true }, { getPublic })
  answer = (asked, response) =>
    response.end(JSON.stringify({ ...document, client_id: `https://app.example${asked.url}` }))
  const statuses: unknown[] = []
  for (let i = 0; i < 11; i++)
    statuses.push((await visit(`https://app.example/${i}.json`, limited))[0])
  expect(statuses).toEqual([...Array<number>(10).fill(302), 429])
  expect(reads).toBe(10)
  await limited.close()
})
