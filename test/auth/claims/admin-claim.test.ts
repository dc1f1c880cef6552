import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Issuer, startIssuer } from '../stand-ins/issuer.ts'
import { type Google, startGoogle } from '../stand-ins/google.ts'
import { authSettings } from '../stand-ins/settings.ts'
import { enterAtGoogle, enterAtIssuer, isAdmin, makeKeptAdmin } from './sign-ins.ts'

const app = 'https://app.example/signed-in'
let google: Google
let issuer: Issuer
let server: TestServer
beforeAll(async () => {
  ;[google, issuer] = [await startGoogle(), await startIssuer()]
  server = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_GOOGLE_ISSUER: google.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: google.clientId,
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: google.clientSecret,
      AUTH_PROVIDER_GOOGLE_ADMIN_CLAIM: 'groups=hoplet-admins',
      AUTH_PROVIDER_ACME_ISSUER: issuer.url,
      AUTH_PROVIDER_ACME_CLIENT_ID: issuer.clientId,
      AUTH_PROVIDER_ACME_CLIENT_SECRET: 'secret',
      AUTH_PROVIDER_ACME_ADMIN_CLAIM: 'groups=hoplet-admins',
      AUTH_REDIRECT_URLS: app,
    }),
  })
  await google.register(`${server.url}/auth/v1/callback`)
})
afterAll(async () => {
  await server.close()
  await google.close()
  await issuer.close()
})
let serial = 0
beforeEach(() => {
  const sub = `claims-${++serial}`
  google.person = { sub, email: `${sub}@gmail.test`, email_verified: true, name: sub }
  issuer.person = { sub, email: `${sub}@acme.test`, email_verified: true }
  issuer.userInfo = undefined
})

const enter = () => enterAtGoogle(server, google, app)
const auditOf = (id: string) =>
  server.sql(
    `select action, actor_role, before ->> 'role' as was, after ->> 'role' as wanted, after ->> 'provider' as provider
      from app.audit_log where target_id = $1 order by id`,
    [id],
  )

it('a group of the provider makes an admin, and its absence at the next sign-in ends that', async () => {
  await makeKeptAdmin(server)
  google.person.groups = ['staff', 'hoplet-admins']
  const first = await enter()
  expect(await isAdmin(server, first.token)).toBe(true)
  google.person.groups = ['staff']
  const second = await enter()
  expect(second.id).toBe(first.id)
  expect([await isAdmin(server, second.token), await isAdmin(server, first.token)]).toEqual([
    false,
    false,
  ])
  const line = { actor_role: 'hoplet_auth', action: 'role.claim', provider: 'google' }
  expect(await auditOf(first.id)).toEqual([
    { ...line, was: 'user', wanted: 'admin' },
    { ...line, was: 'admin', wanted: 'user' },
  ])
})

it('an account that had a password follows the claim', async () => {
  await makeKeptAdmin(server)
  const user = await makeUser(server)
  google.person.email = user.email
  await server.sql('update auth.users set email_proven_at = now() where id = $1', [user.id])
  google.person.groups = 'hoplet-admins'
  const entered = await enter()
  expect([entered.id, await isAdmin(server, entered.token)]).toEqual([user.id, true])
  google.person.groups = undefined
  expect(await isAdmin(server, (await enter()).token)).toBe(false)
})

it('the last admin stays one, is signed in, and the audit log says why', async () => {
  google.person.groups = ['hoplet-admins']
  const { id } = await enter()
  await server.sql(
    `update app.user_roles set role = 'user' where role = 'admin' and user_id <> $1`,
    [id],
  )
  google.person.groups = []
  const again = await enter()
  expect([again.id, await isAdmin(server, again.token)]).toEqual([id, true])
  expect((await auditOf(id)).at(-1)).toMatchObject({
    action: 'role.claim_refused',
    was: 'admin',
    wanted: 'user',
  })
  await makeKeptAdmin(server)
  expect(await isAdmin(server, (await enter()).token)).toBe(false)
})

it.each([
  ['a text', 'hoplet-admins', true],
  ['a list', ['a', 'hoplet-admins'], true],
  ['nothing', undefined, false],
  ['null', null, false],
  ['a number', 7, false],
  ['true', true, false],
  ['an object', { 'hoplet-admins': true, length: 1, 0: 'hoplet-admins' }, false],
  ['a list in a list', [['hoplet-admins']], false],
  ['another case', ['Hoplet-Admins', 'HOPLET-ADMINS'], false],
  ['a part of a text', 'hoplet-admins-readers', false],
  ['blanks around', ' hoplet-admins ', false],
  ['10,000 groups', Array.from({ length: 10_000 }, (_, n) => `group-${n}`), false],
  [
    '10,000 groups with the right one',
    Array.from({ length: 10_000 }, () => 'hoplet-admins'),
    false,
  ],
  ['a huge text', 'hoplet-admins'.repeat(50_000), false],
])('a claim with %s signs in, and decides about the role', async (_, groups, expected) => {
  await makeKeptAdmin(server)
  issuer.lies = { claims: { groups } }
  const entered = await enterAtIssuer(server, issuer, app)
  issuer.lies = {}
  expect(await isAdmin(server, entered.token)).toBe(expected)
})

it('the claim comes from userinfo where the id_token lacks it', async () => {
  issuer.userInfo = { groups: ['hoplet-admins'] }
  const { token } = await enterAtIssuer(server, issuer, app)
  expect(await isAdmin(server, token)).toBe(true)
})

it('userinfo about another person gives no role, and the sign-in works', async () => {
  issuer.userInfo = { sub: 'another', groups: ['hoplet-admins'] }
  const { token } = await enterAtIssuer(server, issuer, app)
  expect(await isAdmin(server, token)).toBe(false)
})
