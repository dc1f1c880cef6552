import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { countingHasher, newEmail, request, signIn } from './requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
it('sign-in answers an unknown account and a wrong password alike, after the same work', async () => {
  const hasher = countingHasher()
  const counted = await startTestServer({}, { hasher })
  try {
    const user = await makeUser(counted)
    const wrong = await signIn(counted, user.email, 'not the password')
    expect(hasher.verified).toBe(1)
    const unknown = await signIn(counted, newEmail(), 'not the password')
    expect(hasher.verified).toBe(2)
    const names = ({ headers }: { headers: Headers }) => [...headers.keys()].sort()
    expect(wrong.status).toBe(400)
    expect(wrong.body).toEqual({
      code: 'invalid_credentials',
      message: 'Invalid login credentials',
    })
    expect([unknown.status, unknown.body, names(unknown)]).toEqual([
      wrong.status,
      wrong.body,
      names(wrong),
    ])
  } finally {
    await counted.close()
  }
})

it.each([
  ['no address', { password: 'x' }, 400, 'validation_failed'],
  ['a phone number', { phone: '+4912345', password: 'x' }, 422, 'phone_provider_disabled'],
  ['no password', { email: 'a@example.com' }, 400, 'invalid_credentials'],
  ['a NUL in the address', { email: 'a\0@example.com', password: 'x' }, 400, 'invalid_credentials'],
  [
    'an endless address',
    { email: `${'a'.repeat(9_000)}@example.com`, password: 'x' },
    400,
    'invalid_credentials',
  ],
  [
    'a password that is a number',
    { email: 'a@example.com', password: 1 },
    400,
    'validation_failed',
  ],
])('sign-in refuses %s', async (_, body, status, code) => {
  const answer = await request(server, '/token?grant_type=password', { body })
  expect([answer.status, answer.body['code']]).toEqual([status, code])
})

it.each(['', '?grant_type=', '?grant_type=client_credentials', '?grant_type=constructor'])(
  'sign-in has no other grant: %s',
  async (query) => {
    const { status, body } = await request(server, `/token${query}`, { body: {} })
    expect([status, body['message']]).toEqual([400, 'unsupported_grant_type'])
  },
)

it('sign-in does not hash a password over 1 KiB', async () => {
  const hasher = countingHasher()
  const counted = await startTestServer({}, { hasher })
  try {
    const user = await makeUser(counted)
    const answer = await signIn(counted, user.email, 'x'.repeat(1_025))
    expect([answer.status, answer.body['code'], hasher.verified]).toEqual([
      400,
      'invalid_credentials',
      0,
    ])
    await signIn(counted, user.email, 'x'.repeat(1_024))
    expect(hasher.verified).toBe(1)
  } finally {
    await counted.close()
  }
})

it('sign-in keeps a banned person out, and says why only after the right password', async () => {
  const user = await makeUser(server)
  await server.sql(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [
    user.id,
  ])
  expect((await signIn(server, user.email, user.password)).body['code']).toBe('user_banned')
  expect((await signIn(server, user.email, 'wrong one')).body['code']).toBe('invalid_credentials')
  const bearer = await request(server, '/user', { token: user.accessToken })
  expect([bearer.status, bearer.body['code']]).toEqual([403, 'user_banned'])
  await server.sql(`update auth.users set banned_until = now() - interval '1 s' where id = $1`, [
    user.id,
  ])
  expect((await signIn(server, user.email, user.password)).status).toBe(200)
})

it('sign-in refuses a sign-in when the password was changed during the comparison', async () => {
  const hasher = countingHasher()
  const counted = await startTestServer({}, { hasher })
  try {
    const user = await makeUser(counted)
    const verify = hasher.verify.bind(hasher)
    hasher.verify = async (password, hash) => {
      const right = await verify(password, hash)
      await counted.sql(`update auth.users set encrypted_password = 'plain other' where id = $1`, [
        user.id,
      ])
      return right
    }
    const { status, body } = await signIn(counted, user.email, user.password)
    expect([status, body['code']]).toEqual([400, 'invalid_credentials'])
  } finally {
    await counted.close()
  }
})

it('sign-in keeps 100 sessions of an account: a new one ends those that were not used for longest', async () => {
  const user = await makeUser(server)
  await server.sql(
    `insert into auth.sessions (user_id, refresh_key, refreshed_at)
      select $1, 'x', now() - n * interval '1 hour' from generate_series(1, 105) n`,
    [user.id],
  )
  expect((await signIn(server, user.email, user.password)).status).toBe(200)
  const [kept] = await server.sql(
    `select count(*)::int as sessions, count(*) filter (where refreshed_at > now() - interval '98.5 hours')::int as newest
      from auth.sessions where user_id = $1`,
    [user.id],
  )
  expect(kept).toEqual({ sessions: 100, newest: 100 })
  // The session from before is used more lately than the planted ones.
  expect((await request(server, '/user', { token: user.accessToken })).status).toBe(200)
})
