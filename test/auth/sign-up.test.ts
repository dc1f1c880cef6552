import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newEmail, officialClient, request, signIn } from './requests.ts'

let server: TestServer
let confirming: TestServer
beforeAll(async () => {
  server = await startTestServer()
  confirming = await startTestServer({
    auth: { ...server.context.config.auth, autoconfirm: false },
  })
})
afterAll(() => Promise.all([server.close(), confirming.close()]))

const signUp = (to: TestServer, body: unknown) => request(to, '/signup', { body })

it('sign-up gives a new account its session, in the protocol’s shape', async () => {
  const email = newEmail()
  const { status, body } = await signUp(server, {
    email: ` ${email.toUpperCase()} `,
    password: 'six666',
    data: { display_name: 'Ada' },
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
  expect(Math.abs(Number(body['expires_at']) - Date.now() / 1000 - 3600)).toBeLessThan(60)
  expect(body.user).toMatchObject({
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone: '',
    app_metadata: { provider: 'email', providers: ['email'] },
    user_metadata: { display_name: 'Ada' },
    identities: [{ provider: 'email', identity_data: { email, email_verified: true } }],
    is_anonymous: false,
  })
  expect(Object.keys(body.user ?? {}).sort()).toEqual(
    [
      'aud',
      'app_metadata',
      'confirmed_at',
      'created_at',
      'email',
      'email_confirmed_at',
      'id',
      'identities',
      'is_anonymous',
      'last_sign_in_at',
      'phone',
      'role',
      'updated_at',
      'user_metadata',
    ].sort(),
  )
  expect(JSON.stringify(body)).not.toContain('$2b$')
})

it('sign-up works with the official client, display name and referral code included', async () => {
  const referrer = await makeUser(server)
  await server.sql(`insert into app.affiliate_codes (user_id, code) values ($1, 'FRIEND01')`, [
    referrer.id,
  ])
  for (const name of ['referral_code', 'referrer_code']) {
    const { data, error } = await officialClient(server).signUp({
      email: newEmail(),
      password: 'correct horse',
      options: {
        data: { display_name: 'Grace', [name]: 'friend01' },
        emailRedirectTo: 'http://127.0.0.1/',
      },
    })
    expect(error).toBeNull()
    const id = data.user?.id
    expect(data.session?.user.id).toBe(id)
    expect(await server.sql('select display_name from app.profiles where id = $1', [id])).toEqual([
      { display_name: 'Grace' },
    ])
    expect(
      await server.sql('select referrer_user_id from app.referrals where referred_user_id = $1', [
        id,
      ]),
    ).toEqual([{ referrer_user_id: referrer.id }])
  }
})

it('metadata of a sign-up grants no rights', async () => {
  const boast = {
    role: 'admin',
    plan_type: 'business',
    plan: 'business',
    is_admin: true,
    aal: 'aal2',
    referrer_user_id: 'x',
  }
  const { body } = await signUp(server, {
    ...boast,
    email: newEmail(),
    password: 'six666',
    data: { ...boast, app_metadata: boast },
    app_metadata: boast,
    user_metadata: boast,
  })
  const id = body.user?.['id']
  expect(body.user).toMatchObject({ role: 'authenticated', app_metadata: { provider: 'email' } })
  expect(await server.sql('select role from app.user_roles where user_id = $1', [id])).toEqual([
    { role: 'user' },
  ])
  expect(await server.sql('select plan_type from app.user_plans where user_id = $1', [id])).toEqual(
    [{ plan_type: 'free' }],
  )
  expect(await server.sql('select 1 from app.referrals where referred_user_id = $1', [id])).toEqual(
    [],
  )
  const token = await server.context.tokens.verify(String(body['access_token']))
  expect(token.role).toBe('authenticated')
  expect(token.claims['aal']).toBe('aal1')
})

it('sign-up refuses a taken address, and only one of many at once gets it', async () => {
  const email = newEmail()
  const tries = await Promise.all(
    Array.from({ length: 8 }, () => signUp(server, { email, password: 'six666' })),
  )
  expect(tries.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(tries.filter(({ status }) => status === 422)).toHaveLength(7)
  expect(tries.find(({ status }) => status === 422)?.body).toEqual({
    code: 'user_already_exists',
    message: 'User already registered',
  })
})

it.each([
  ['a short password', { email: 'a@example.com', password: '12345' }, 422, 'weak_password'],
  [
    'a password over 1,024 bytes',
    { email: 'a@example.com', password: 'x'.repeat(1_025) },
    400,
    'validation_failed',
  ],
  [
    '1,026 bytes in fewer characters',
    { email: 'a@example.com', password: 'é'.repeat(513) },
    400,
    'validation_failed',
  ],
  ['no password', { email: 'a@example.com' }, 400, 'validation_failed'],
  ['no address', { password: 'six666' }, 400, 'validation_failed'],
  ['no address that could be one', { email: 'a@b', password: 'six666' }, 400, 'validation_failed'],
  [
    'an address with a line break',
    { email: 'a@example.com\nBcc: b@example.com', password: 'six666' },
    400,
    'validation_failed',
  ],
  [
    'a NUL in the address',
    { email: 'a\0@example.com', password: 'six666' },
    400,
    'validation_failed',
  ],
  [
    'a NUL in the password',
    { email: 'a@example.com', password: 'six\x00666' },
    400,
    'validation_failed',
  ],
  [
    'an address that is a list',
    { email: ['a@example.com'], password: 'six666' },
    400,
    'validation_failed',
  ],
  ['nothing', {}, 422, 'anonymous_provider_disabled'],
  ['a phone number', { phone: '+4912345', password: 'six666' }, 422, 'phone_provider_disabled'],
  [
    'data that is a list',
    { email: 'a@example.com', password: 'six666', data: [] },
    400,
    'validation_failed',
  ],
  [
    'data over 4 KiB',
    { email: 'a@example.com', password: 'six666', data: { x: 'y'.repeat(4096) } },
    400,
    'validation_failed',
  ],
  [
    'a NUL in data',
    { email: 'a@example.com', password: 'six666', data: { x: [{ 'a\0': 1 }] } },
    400,
    'validation_failed',
  ],
  [
    'half a surrogate pair in data',
    '{"email":"a@example.com","password":"six666","data":{"x":"\\ud800"}}',
    400,
    'validation_failed',
  ],
])('sign-up refuses %s', async (_, body, status, code) => {
  const answer = await signUp(server, body)
  expect(answer.status).toBe(status)
  expect(answer.body['code']).toBe(code)
})

it('sign-up says why a password is weak, in both error formats', async () => {
  const body = { email: newEmail(), password: '12345' }
  const { error } = await officialClient(server).signUp(body)
  expect(error).toMatchObject({ name: 'AuthWeakPasswordError', reasons: ['length'], status: 422 })
  const modern = await signUp(server, body)
  expect(modern.headers.get('x-supabase-api-version')).toBe('2024-01-01')
  expect(modern.body).toEqual({
    code: 'weak_password',
    message: 'Password should be at least 6 characters.',
    weak_password: { reasons: ['length'] },
  })
  const old = await request(server, '/signup', { body, headers: { 'x-supabase-api-version': '' } })
  expect(old.headers.get('x-supabase-api-version')).toBeNull()
  expect(old.body).toEqual({
    code: 422,
    error_code: 'weak_password',
    msg: 'Password should be at least 6 characters.',
    weak_password: { reasons: ['length'] },
  })
})

it(
  'sign-up accepts long passwords in any script, and every byte counts',
  { tags: ['extended'] },
  async () => {
    const letters = (count: number) => 'x'.repeat(count)
    for (const password of [
      ...[64, 72, 73, 128, 1_024].map(letters),
      '密'.repeat(24),
      '🦀'.repeat(32),
      '  a  b  ',
    ]) {
      const email = newEmail()
      expect((await signUp(server, { email, password })).status).toBe(200)
      expect((await signIn(server, email, password)).status).toBe(200)
      expect((await signIn(server, email, `${password}x`)).status).toBe(400)
      expect((await signIn(server, email, password.slice(0, -2))).status).toBe(400)
    }
  },
)

it('sign-up answers a new and a taken address alike where addresses must be confirmed', async () => {
  const email = newEmail()
  const body = { email, password: 'six666', data: { display_name: 'Ada' } }
  const fresh = await signUp(confirming, body)
  const taken = await signUp(confirming, body)
  const shape = (value: Record<string, unknown>) =>
    Object.entries(value).map(([key, inner]) => [
      key,
      Array.isArray(inner) ? inner.length : typeof inner,
    ])
  expect([fresh.status, taken.status]).toEqual([200, 200])
  expect(shape(taken.body)).toEqual(shape(fresh.body))
  expect(taken.body).toMatchObject({
    email,
    identities: [],
    user_metadata: { display_name: 'Ada' },
  })
  expect(taken.body['id']).not.toBe(fresh.body['id'])
  expect(fresh.body).not.toHaveProperty('access_token')
  expect(
    await confirming.sql('select count(*)::int as n from auth.users where email = $1', [email]),
  ).toEqual([{ n: 1 }])
  expect(await confirming.sql('select count(*)::int as n from auth.sessions')).toEqual([{ n: 0 }])

  expect((await signIn(confirming, email, 'six666')).body['code']).toBe('email_not_confirmed')
  expect((await signIn(confirming, email, 'wrong1')).body['code']).toBe('invalid_credentials')
  const { data, error } = await officialClient(confirming).signUp({
    email: newEmail(),
    password: 'six666',
  })
  expect(error).toBeNull()
  expect(data).toMatchObject({ session: null, user: { aud: 'authenticated' } })
})

it('sign-up makes no account where sign-up is off', async () => {
  const closed = await startTestServer({ auth: { ...server.context.config.auth, signUp: false } })
  try {
    const { status, body } = await signUp(closed, { email: newEmail(), password: 'six666' })
    expect([status, body['code']]).toEqual([422, 'signup_disabled'])
    expect((await request(closed, '/settings')).body['disable_signup']).toBe(true)
  } finally {
    await closed.close()
  }
})

it('sign-up keeps data up to 4 KiB, and every door takes the token that carries it', async () => {
  const data = { note: '\u00e9"'.repeat(1_020) }
  expect(Buffer.byteLength(JSON.stringify(data))).toBeGreaterThan(4_080)
  const { status, body } = await signUp(server, { email: newEmail(), password: 'six666', data })
  expect(status).toBe(200)
  const token = String(body['access_token'])
  expect((await request(server, '/user', { token })).body['user_metadata']).toEqual(data)
  const table = await fetch(`${server.url}/rest/v1/user_plans?select=plan_type`, {
    headers: { apikey: server.anonKey, authorization: `Bearer ${token}` },
  })
  expect(await table.json()).toEqual([{ plan_type: 'free' }])
})
