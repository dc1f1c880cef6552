import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { newEmail, officialClient, refresh, request, signIn } from './requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
const change = (token: string, body: unknown) =>
  request(server, '/user', { method: 'PUT', token, body })

it('the account needs sign-in', async () => {
  for (const method of ['GET', 'PUT']) {
    const bare = await request(server, '/user', { method, ...(method === 'PUT' && { body: {} }) })
    expect([bare.status, bare.body['code']]).toEqual([401, 'no_authorization'])
    const apiKey = await request(server, '/user', {
      method,
      token: server.anonKey,
      ...(method === 'PUT' && { body: {} }),
    })
    expect([apiKey.status, apiKey.body['code']]).toEqual([403, 'bad_jwt'])
  }
})

it('the account shows one’s own account and no secret', async () => {
  const user = await makeUser(server)
  const { status, body, headers } = await request(server, '/user', { token: user.accessToken })
  expect([status, body['id'], body['email']]).toEqual([200, user.id, user.email])
  expect(headers.get('cache-control')).toBe('no-store')
  expect(JSON.stringify(body)).not.toMatch(/\$2b\$|encrypted|banned|refresh/)
})

it('the account changes the password, keeps this session and ends the other sessions', async () => {
  const user = await makeUser(server)
  const here = officialClient(server)
  await here.signInWithPassword({ email: user.email, password: user.password })
  const { error } = await here.updateUser({ password: 'another one' })
  expect(error).toBeNull()
  expect((await here.getUser()).error).toBeNull()
  expect((await here.refreshSession()).error).toBeNull()
  expect((await request(server, '/user', { token: user.accessToken })).body['code']).toBe(
    'session_not_found',
  )
  expect((await refresh(server, user.refreshToken)).status).toBe(400)
  expect((await signIn(server, user.email, user.password)).status).toBe(400)
  expect((await signIn(server, user.email, 'another one')).status).toBe(200)
})

it.each([
  ['the same password', { password: 'correct horse 42' }, 422, 'same_password'],
  ['a short password', { password: '12345' }, 422, 'weak_password'],
  ['an empty password', { password: '' }, 422, 'weak_password'],
  ['a password over 1,024 bytes', { password: 'x'.repeat(1_025) }, 400, 'validation_failed'],
  ['no address', { email: 'nobody' }, 400, 'validation_failed'],
  ['a phone number', { phone: '+491234' }, 422, 'phone_provider_disabled'],
  ['too much data', { data: { x: 'y'.repeat(5_000) } }, 400, 'validation_failed'],
  ['a list', [], 400, 'validation_failed'],
])('the account refuses %s', async (_, body, status, code) => {
  const user = await makeUser(server)
  const answer = await change(user.accessToken, body)
  expect([answer.status, answer.body['code']]).toEqual([status, code])
  expect((await signIn(server, user.email, user.password)).status).toBe(200)
})

it('the account changes the address everywhere, unless another account has it', async () => {
  const [user, other] = [await makeUser(server), await makeUser(server)]
  const taken = await change(user.accessToken, { email: other.email })
  expect([taken.status, taken.body['code']]).toEqual([422, 'email_exists'])
  const email = newEmail()
  const { status, body } = await change(user.accessToken, { email: email.toUpperCase() })
  expect([status, body['email']]).toEqual([200, email])
  expect(body['identities']).toMatchObject([{ identity_data: { email } }])
  expect(await server.sql('select email from app.profiles where id = $1', [user.id])).toEqual([
    { email },
  ])
  expect((await signIn(server, email, user.password)).status).toBe(200)
  expect((await signIn(server, user.email, user.password)).status).toBe(400)
})

it('the account merges data key by key, and grants nothing for it', async () => {
  const user = await makeUser(server, {
    data: { display_name: 'Ada', color: 'red', keep: { a: 1 } },
  })
  const { body } = await change(user.accessToken, {
    data: { display_name: 'Ada L.', color: null, role: 'admin', referral_code: 'FRIEND01' },
    app_metadata: { role: 'admin' },
    role: 'service_role',
  })
  expect(body).toMatchObject({
    role: 'authenticated',
    app_metadata: { provider: 'email', providers: ['email'] },
  })
  expect(body['user_metadata']).toEqual({
    display_name: 'Ada L.',
    keep: { a: 1 },
    role: 'admin',
    referral_code: 'FRIEND01',
  })
  expect(await server.sql('select role from app.user_roles where user_id = $1', [user.id])).toEqual(
    [{ role: 'user' }],
  )
})

it('the account does not let data grow past 4 KiB by small steps', async () => {
  const user = await makeUser(server)
  const grown = []
  for (let i = 0; i < 5; i++) {
    grown.push(
      (await change(user.accessToken, { data: { [`part${i}`]: 'y'.repeat(1_000) } })).status,
    )
  }
  expect(grown).toEqual([200, 200, 200, 200, 400])
})
