import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { request, signIn } from '../requests.ts'
import { challenge, codeOf, enroll, makeEnrolled, stepUp, wrongCode } from './second-factor.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ trustedProxies: 1 })
})
afterAll(() => server.close())

const verify = (token: string, factorId: string, body: unknown, from?: string) =>
  request(server, `/factors/${factorId}/verify`, {
    token,
    body,
    ...(from !== undefined && { from }),
  })

it.each([
  ['no type', {}, 400, 'validation_failed'],
  ['another type', { factor_type: 'sms' }, 400, 'validation_failed'],
  [
    'a name of 101 characters',
    { factor_type: 'totp', friendly_name: 'x'.repeat(101) },
    400,
    'validation_failed',
  ],
  ['a name with NUL', { factor_type: 'totp', friendly_name: 'a\0b' }, 400, 'validation_failed'],
  ['half a pair', { factor_type: 'totp', issuer: '\ud800' }, 400, 'validation_failed'],
  [
    'a phone, as none are set up',
    { factor_type: 'phone', phone: '+4915112345678' },
    422,
    'mfa_phone_enroll_not_enabled',
  ],
  ['a list', [], 400, 'validation_failed'],
  ['no JSON', '{', 400, 'bad_json'],
])('the server refuses to enroll %s', async (_, body, status, code) => {
  const user = await makeUser(server)
  const answer = await request(server, '/factors', { token: user.accessToken, body })
  expect([answer.status, answer.body['code']]).toEqual([status, code])
  expect(answer.headers.get('x-supabase-api-version')).toBe('2024-01-01')
  expect((await request(server, '/user', { token: user.accessToken })).body['factors']).toBe(
    undefined,
  )
})

it('the server allows each name once, and ten factors', async () => {
  const { accessToken } = await makeUser(server)
  const named = (friendly_name: string) =>
    enroll(server, accessToken, { factor_type: 'totp', friendly_name })
  expect((await named('Phone')).status).toBe(200)
  const again = await named(' Phone ')
  expect([again.status, again.body['code']]).toEqual([422, 'mfa_factor_name_conflict'])
  // All at once, so that a count without a lock would let too many in.
  const rest = await Promise.all(Array.from({ length: 14 }, (_, n) => named(`Phone ${n}`)))
  expect(rest.filter(({ status }) => status === 200)).toHaveLength(9)
  expect(new Set(rest.map(({ body }) => body['code']))).toEqual(
    new Set([undefined, 'too_many_enrolled_mfa_factors']),
  )
})

it('the server frees the name and the place of a factor that was not verified within five minutes', async () => {
  const { accessToken, id } = await makeUser(server)
  const begun = await enroll(server, accessToken, { factor_type: 'totp', friendly_name: 'Phone' })
  const factorId = String(begun.body['id'])
  await server.sql(
    `update auth.factors set created_at = now() - interval '6 minutes' where user_id = $1`,
    [id],
  )
  expect((await challenge(server, accessToken, factorId)).body['code']).toBe('mfa_factor_not_found')
  const again = await enroll(server, accessToken, { factor_type: 'totp', friendly_name: 'Phone' })
  expect(again.status).toBe(200)
  expect(await server.sql('select id from auth.factors where user_id = $1', [id])).toEqual([
    { id: again.body['id'] },
  ])
})

it('the server adds and removes factors only at aal2, once the account has one', async () => {
  const { aal1, aal2, factorId } = await makeEnrolled(server)
  const added = await enroll(server, aal1)
  expect([added.status, added.body['code']]).toEqual([403, 'insufficient_aal'])
  const remove = (token: string) =>
    request(server, `/factors/${factorId}`, { method: 'DELETE', token })
  const removed = await remove(aal1)
  expect([removed.status, removed.body['code']]).toEqual([422, 'insufficient_aal'])
  expect((await enroll(server, aal2)).status).toBe(200)
  expect((await remove(aal2)).status).toBe(200)
})

it('the server does not let an enrollment that began earlier bypass the verified factor', async () => {
  const user = await makeUser(server)
  const thief = String((await signIn(server, user.email, user.password)).body['access_token'])
  const own = await enroll(server, user.accessToken)
  const { secret } = own.body['totp'] as { secret: string }
  expect(
    (await stepUp(server, user.accessToken, String(own.body['id']), await codeOf(secret))).status,
  ).toBe(200)
  // A factor of another type that was begun in time: verifying drops only those of its own type.
  const id = randomUUID()
  await server.sql(
    `insert into auth.factors (id, user_id, factor_type, phone) values ($1, $2, 'phone', '4915112345678')`,
    [id, user.id],
  )
  expect((await request(server, '/user', { token: thief })).status).toBe(403)
  const next = String((await signIn(server, user.email, user.password)).body['access_token'])
  const asked = await challenge(server, next, id)
  expect([asked.status, asked.body['code']]).toEqual([403, 'insufficient_aal'])
  const answer = await verify(next, id, { challenge_id: randomUUID(), code: '123456' })
  expect([answer.status, answer.body['code']]).toEqual([403, 'insufficient_aal'])
})

it('the server changes password and address only at aal2', async () => {
  const { user, aal1, aal2 } = await makeEnrolled(server)
  const change = (token: string, body: unknown) =>
    request(server, '/user', { method: 'PUT', token, body })
  for (const body of [{ password: 'another one' }, { email: 'thief@example.com' }]) {
    const answer = await change(aal1, body)
    expect([answer.status, answer.body['code']]).toEqual([401, 'insufficient_aal'])
  }
  expect((await change(aal1, { data: { color: 'red' } })).status).toBe(403)
  expect((await signIn(server, user.email, user.password)).status).toBe(200)
  expect((await change(aal2, { password: 'another one' })).status).toBe(200)
})

it('the server forgets a challenge after five minutes, and once it was answered', async () => {
  const { aal1, factorId, secret } = await makeEnrolled(server)
  const asked = await challenge(server, aal1, factorId)
  const body = { challenge_id: asked.body['id'], code: await codeOf(secret) }
  await server.sql(`update auth.challenges set expires_at = now() where id = $1`, [
    asked.body['id'],
  ])
  const late = await verify(aal1, factorId, body)
  expect([late.status, late.body['code']]).toEqual([422, 'mfa_challenge_expired'])
  await server.sql(
    `update auth.challenges set expires_at = now() + interval '1 minute' where id = $1`,
    [asked.body['id']],
  )
  expect((await verify(aal1, factorId, body)).status).toBe(200)
  const twice = await verify(aal1, factorId, { ...body, code: await codeOf(secret, 1) })
  expect([twice.status, twice.body['code']]).toEqual([422, 'mfa_challenge_expired'])
})

it('the server binds a challenge to the network that asked', async () => {
  const { aal1, factorId, secret } = await makeEnrolled(server)
  const asked = await challenge(server, aal1, factorId, '192.0.2.1')
  const body = { challenge_id: asked.body['id'], code: await codeOf(secret) }
  const other = await verify(aal1, factorId, body, '192.0.2.2')
  expect([other.status, other.body['code']]).toEqual([422, 'mfa_ip_address_mismatch'])
  expect((await verify(aal1, factorId, body, '192.0.2.1')).status).toBe(200)
})

it('the server ends a challenge with its fifth wrong code', async () => {
  const { aal1, factorId, secret } = await makeEnrolled(server)
  const asked = await challenge(server, aal1, factorId)
  const attempt = (code: string) => verify(aal1, factorId, { challenge_id: asked.body['id'], code })
  const wrong = await wrongCode(secret)
  for (let n = 0; n < 5; n++) {
    expect((await attempt(wrong)).body['code']).toBe('mfa_verification_failed')
  }
  expect((await attempt(await codeOf(secret))).body['code']).toBe('mfa_challenge_expired')
  expect((await stepUp(server, aal1, factorId, await codeOf(secret))).status).toBe(200)
})

it.each([
  ['no challenge', {}, 400, 'validation_failed'],
  ['a challenge that is none', { challenge_id: 'x', code: '123456' }, 422, 'mfa_factor_not_found'],
  [
    'an unknown challenge',
    { challenge_id: randomUUID(), code: '123456' },
    422,
    'mfa_factor_not_found',
  ],
  ['no code', { challenge_id: 'own' }, 400, 'validation_failed'],
  ['letters', { challenge_id: 'own', code: 'abcdef' }, 422, 'mfa_verification_failed'],
  ['seven digits', { challenge_id: 'own', code: '1234567' }, 422, 'mfa_verification_failed'],
  ['a number', { challenge_id: 'own', code: 123456 }, 400, 'validation_failed'],
  [
    'a security key',
    { challenge_id: 'own', webauthn: { type: 'create' } },
    400,
    'validation_failed',
  ],
])('the server refuses to verify %s', async (_, body, status, code) => {
  const { user, aal1, factorId } = await enrolled()
  const asked = await challenge(server, aal1, factorId)
  const own = 'challenge_id' in body && body.challenge_id === 'own'
  const answer = await verify(aal1, factorId, {
    ...body,
    ...(own && { challenge_id: asked.body['id'] }),
  })
  expect([answer.status, answer.body['code']]).toEqual([status, code])
  expect(user.id).toBeTruthy()
})

let kept: ReturnType<typeof makeEnrolled> | undefined
const enrolled = () => (kept ??= makeEnrolled(server))

it('the server supports one channel', async () => {
  const { aal1, factorId } = await enrolled()
  const answer = await request(server, `/factors/${factorId}/challenge`, {
    token: aal1,
    body: { channel: 'whatsapp' },
  })
  expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed'])
})
