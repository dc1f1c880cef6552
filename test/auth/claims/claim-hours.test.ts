import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { refresh, request, signIn } from '../requests.ts'
import { type Issuer, startIssuer } from '../stand-ins/issuer.ts'
import { authSettings } from '../stand-ins/settings.ts'
import { enterAtIssuer, isAdmin, makeKeptAdmin } from './sign-ins.ts'

const app = 'https://app.example/signed-in'
let issuer: Issuer
let server: TestServer
beforeAll(async () => {
  issuer = await startIssuer()
  server = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_ACME_ISSUER: issuer.url,
      AUTH_PROVIDER_ACME_CLIENT_ID: issuer.clientId,
      AUTH_PROVIDER_ACME_CLIENT_SECRET: 'secret',
      AUTH_PROVIDER_ACME_ADMIN_CLAIM: 'groups=hoplet-admins',
      AUTH_CLAIM_HOURS: '6',
      AUTH_REDIRECT_URLS: app,
    }),
  })
  await makeKeptAdmin(server)
})
afterAll(async () => {
  await server.close()
  await issuer.close()
})
let serial = 0
beforeEach(() => {
  const sub = `hours-${++serial}`
  issuer.person = { sub, email: `${sub}@acme.test`, email_verified: true }
  issuer.lies = { claims: { groups: ['hoplet-admins'] } }
  issuer.isIll = false
})

const enter = () => enterAtIssuer(server, issuer, app)
const signedIn = async (token: string) => (await request(server, '/user', { token })).status === 200
/** Sets the moment until which the claims of a person's sessions count. */
const claimsUntil = (id: string, hours: number) =>
  server.sql(
    `update auth.sessions set claims_until = now() + make_interval(hours => $2) where user_id = $1`,
    [id, hours],
  )
const facts = async (token: string) => {
  const response = await fetch(`${server.url}/rest/v1/rpc/session_facts`, {
    headers: { Authorization: `Bearer ${token}` },
  })
  return (await response.json()) as Record<string, unknown>
}

it('a session keeps its claims for AUTH_CLAIM_HOURS, and a refresh does not renew them', async () => {
  const { id, token, refreshToken } = await enter()
  const hours = () =>
    server.sql(
      `select round(extract(epoch from claims_until - created_at) / 3600) as hours from auth.sessions where user_id = $1`,
      [id],
    )
  expect(await hours()).toEqual([{ hours: '6' }])
  expect((await refresh(server, refreshToken)).status).toBe(200)
  expect(await hours()).toEqual([{ hours: '6' }])
  expect(await isAdmin(server, token)).toBe(true)
  expect((await facts(token))['claims']).toEqual({ provider: 'acme', are_due: false })
})

it('a session with claims that are due has no rights from them, and signs in again', async () => {
  const { id, token, refreshToken } = await enter()
  await claimsUntil(id, -1)
  expect(await isAdmin(server, token)).toBe(false)
  expect((await facts(token))['claims']).toEqual({ provider: 'acme', are_due: true })
  const { status, body } = await refresh(server, refreshToken)
  expect([status, body['code']]).toEqual([400, 'session_expired'])
  expect(await signedIn(token)).toBe(false)
  const again = await enter()
  expect([again.id, await isAdmin(server, again.token)]).toEqual([id, true])
})

it('a session goes on for a day without those rights while the provider is down', async () => {
  const { id, token, refreshToken } = await enter()
  issuer.isIll = true
  await claimsUntil(id, -23)
  const refreshed = await refresh(server, refreshToken)
  expect(refreshed.status).toBe(200)
  const next = String(refreshed.body['access_token'])
  expect([await signedIn(next), await isAdmin(server, next)]).toEqual([true, false])
  await claimsUntil(id, -25)
  expect([await signedIn(next), await signedIn(token)]).toEqual([false, false])
  const over = await refresh(server, refreshed.body['refresh_token'])
  expect([over.status, over.body['code']]).toEqual([400, 'refresh_token_not_found'])
})

it('a session after its last day signs in again too, once the provider answers', async () => {
  const { id, token, refreshToken } = await enter()
  await claimsUntil(id, -60)
  expect(await signedIn(token)).toBe(false)
  const { status, body } = await refresh(server, refreshToken)
  expect([status, body['code']]).toEqual([400, 'session_expired'])
  expect(await server.sql('select from auth.sessions where user_id = $1', [id])).toEqual([])
})

it('a shared report of an admin by a claim has the clicks of the plan, and one by hand all', async () => {
  const { id, token } = await enter()
  const headers = { Authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = (path: string, row: object) =>
    fetch(`${server.url}/rest/v1/${path}`, {
      method: 'POST',
      headers: { ...headers, prefer: 'return=representation' },
      body: JSON.stringify(row),
    })
  const made = await post('shortened_urls', { original_url: 'https://example.com/reported' })
  const [link] = (await made.json()) as { id: string }[]
  const share = () => post('shared_reports', { link_id: link?.id })
  expect((await share()).status).toBe(403)

  const byHand = (isByHand: boolean) =>
    server.sql('update app.user_roles set claim_provider = $2 where user_id = $1', [
      id,
      isByHand ? null : 'acme',
    ])
  await byHand(true)
  const shared = await share()
  expect(shared.status).toBe(201)
  const [report] = (await shared.json()) as { token: string }[]
  const page = async () =>
    (await fetch(`${server.url}/analytics/shared/${report?.token ?? ''}`)).status
  expect(await page()).toBe(200)
  // Also while the claims of the session count: visitors have no session.
  await byHand(false)
  expect(await page()).toBe(404)
})

it('a sign-in with the password has no rights from a claim, and never ends by one', async () => {
  const user = await makeUser(server)
  await server.sql('update auth.users set email_proven_at = now() where id = $1', [user.id])
  issuer.person = { ...issuer.person, email: user.email }
  const entered = await enter()
  expect([entered.id, await isAdmin(server, entered.token)]).toEqual([user.id, true])
  const { body } = await signIn(server, user.email, user.password)
  const token = String(body['access_token'])
  expect((await facts(token))['claims']).toBeNull()
  expect(await isAdmin(server, token)).toBe(false)
  expect((await refresh(server, body['refresh_token'])).status).toBe(200)
  const rows = await server.sql(
    `select claim_provider, claims_until is not null as claims from auth.sessions where user_id = $1 order by claims`,
    [user.id],
  )
  expect(rows).toContainEqual({ claim_provider: null, claims: false })
  expect(rows).toContainEqual({ claim_provider: 'acme', claims: true })
})

it('an admin by hand is one in each session, until a sign-in takes the role', async () => {
  const { id, token } = await enter()
  await server.sql('update app.user_roles set claim_provider = null where user_id = $1', [id])
  await claimsUntil(id, -1)
  expect(await isAdmin(server, token)).toBe(true)
  issuer.lies = {}
  expect(await isAdmin(server, (await enter()).token)).toBe(false)
  expect(await isAdmin(server, token)).toBe(false)
})

it('the server sends a browser to a silent sign-in only while the provider answers', async () => {
  const path = '/authorize?provider=acme&prompt=none&skip_http_redirect=true'
  const { status, body } = await request(server, path)
  expect(status).toBe(200)
  expect(new URL(String(body['url'])).searchParams.get('prompt')).toBe('none')
  issuer.isIll = true
  expect((await request(server, path)).status).toBeGreaterThanOrEqual(400)
})
