import { afterAll, beforeAll, expect, it } from 'vitest'
import { authRoutes } from '#server/auth/door.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { request } from './requests.ts'

// For every call in the door's list: a request that another site's page can make a browser send changes nothing.

let server: TestServer
let user: TestUser
let cookie: string
beforeAll(async () => {
  server = await startTestServer()
  user = await makeUser(server)
  const token = encodeURIComponent(JSON.stringify(user.session))
  cookie = `access_token=${user.accessToken}; sb-access-token=${user.accessToken}; sb-hoplet-auth-token=${token}`
})
afterAll(() => server.close())

const id = '6e0b8e6c-5d0c-4a7b-9b57-3c61e1bd9d4e'
const calls = authRoutes.map(({ method, path }) => ({
  /** Part of a test's name, which shows the first 40 characters of a value. */
  title: path.replace('/authorizations/', '/…/').replace(/:(\w{4})\w*/g, ':$1'),
  name: `${method} ${path.split('?')[0]}`,
  method,
  path: path.replaceAll(/:\w+/g, id),
}))
const changing = calls.filter(({ method }) => method !== 'GET')

/** These need no sign-in. A new call that changes something is not on the list, and needs a bearer. */
const open = new Set(
  `/signup /token /sso /recover /otp /magiclink /resend /verify /callback /oauth/token /oauth/revoke
  /oauth/clients/register`
    .split(/\s+/)
    .map((path) => `POST ${path}`),
)

/** These change nothing, or need a bearer token; a new call has to be added here. */
const reads =
  `/reauthenticate /verify /user /user/sessions /user/events /user/export /admin/users /admin/users/:user
  /admin/users/:user/factors /user/identities/authorize /authorize /callback /oauth/authorize
  /oauth/authorizations/:authorization /oauth/userinfo /user/oauth/grants /user/oauth/changes /user/api-keys /admin/oauth/clients
  /admin/oauth/clients/:client /.well-known/openid-configuration /.well-known/oauth-authorization-server
  /settings /health /openapi.json /.well-known/jwks.json`.split(/\s+/)

/** Calls that take a form, and their answer to one from elsewhere; docs/security.md says why. */
const formAnswers: Record<string, (type: string) => number[]> = {
  // The button of a mailed link's page: from a foreign page it shows the page again.
  'POST /verify': (type) => (isForm(type) ? [200, 403] : [415]),
  // Leads to GET /callback, which wants the browser's mark.
  'POST /callback': () => [303],
  // RFC 6749 5.2 knows no 415; the sender of a form needs the app's code, secret or token in it.
  'POST /oauth/token': () => [400],
  'POST /oauth/revoke': (type) => (isForm(type) ? [400, 401] : [400]),
  // Reads.
  'POST /oauth/userinfo': () => [403],
}
const isForm = (type: string) => type === 'application/x-www-form-urlencoded'

const send = (call: { method: string; path: string }, headers: Record<string, string>) =>
  fetch(`${server.url}/auth/v1${call.path}`, {
    method: call.method,
    redirect: 'manual',
    headers: { 'x-supabase-api-version': '2024-01-01', ...headers },
    ...(call.method !== 'GET' && { body: '{}' }),
  })

it('the server knows the door', () => {
  expect(changing.length).toBeGreaterThan(30)
  for (const name of open) expect(changing.map((call) => call.name)).toContain(name)
  const gets = calls.filter(({ method }) => method === 'GET').map(({ name }) => name.slice(4))
  expect(gets.sort()).toEqual([...reads].sort())
})

it.each(changing)('$method $title does not accept a cookie as sign-in', async (call) => {
  const json = { 'content-type': 'application/json' }
  const answer = await send(call, { ...json, cookie })
  if (!open.has(call.name)) return expect(answer.status).toBe(401)
  const without = await send(call, json)
  expect([answer.status, await answer.text()]).toEqual([without.status, await without.text()])
  expect(answer.headers.get('set-cookie')).toBeNull()
})

it.each(changing)('$method $title takes nothing that a form can send', async (call) => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ]) {
    const headers = { cookie, authorization: `Bearer ${user.accessToken}`, 'content-type': type }
    const { status } = await send(call, headers)
    expect(formAnswers[call.name]?.(type) ?? [415]).toContain(status)
  }
})

it.each(
  changing.filter(({ path }) => !calls.some((one) => one.method === 'GET' && one.path === path)),
)('$method $title is not done by a GET', async ({ path }) => {
  const answer = await send(
    { method: 'GET', path },
    { authorization: `Bearer ${user.accessToken}` },
  )
  const { code } = (await answer.json()) as { code?: string }
  expect([answer.status, code]).toEqual([405, 'method_not_allowed'])
  expect(answer.headers.get('allow')).not.toContain('GET')
})

it('changed nothing in all these tries, and does with a bearer token and JSON (control)', async () => {
  const { accessToken: token } = user
  expect((await request(server, '/user', { token })).body).toMatchObject({ id: user.id })
  const [row] = await server.sql('select count(*)::int as n from auth.users')
  expect(row).toEqual({ n: 1 })
  expect((await request(server, '/logout', { method: 'POST', token, body: {} })).status).toBe(204)
  expect((await request(server, '/user', { token })).status).toBe(403)
})
