import { createHash } from 'node:crypto'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newEmail, officialClient, refresh, request } from '../requests.ts'
import { type Issuer, startIssuer } from '../stand-ins/issuer.ts'
import { authSettings } from '../stand-ins/settings.ts'

let issuer: Issuer
let server: TestServer
beforeAll(async () => {
  issuer = await startIssuer()
  server = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_GOOGLE_ISSUER: issuer.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: 'hoplet, phone-app',
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: 'secret',
    }),
  })
})
afterAll(async () => {
  await server.close()
  await issuer.close()
})
let serial = 0
beforeEach(() => {
  issuer.person = { sub: `google-${++serial}`, email: newEmail(), email_verified: true }
  Object.assign(issuer, { lies: {}, isIll: false })
})

const nonce = 'once and never again'
const sha256 = (text: string) => createHash('sha256').update(text)
const hashed = sha256(nonce).digest('hex')
const atHash = (token: string) => sha256(token).digest().subarray(0, 16).toString('base64url')

it('the server signs in by an id_token with nonce, for any of our clients (signInWithIdToken)', async () => {
  issuer.lies = {
    claims: { aud: ['phone-app', 'hoplet'], azp: 'phone-app', at_hash: atHash('at') },
  }
  const client = officialClient(server)
  const { data, error } = await client.signInWithIdToken({
    provider: 'google',
    token: await issuer.token(hashed),
    access_token: 'at',
    nonce,
  })
  expect([error, data.user?.email]).toEqual([null, issuer.person['email']])
  const again = await officialClient(server).signInWithIdToken({
    provider: 'google',
    token: await issuer.token(hashed),
    access_token: 'at',
    nonce,
  })
  expect(again.data.user?.id).toBe(data.user?.id)
})

it('the server finds the provider by issuer and client id', async () => {
  const { status } = await request(server, '/token?grant_type=id_token', {
    body: { issuer: issuer.url, client_id: 'phone-app', id_token: await issuer.token() },
  })
  expect(status).toBe(200)
})

it('links by an id_token, in the session that asks (linkIdentity with a token)', async () => {
  const user = await makeUser(server)
  const client = officialClient(server)
  await client.signInWithPassword({ email: user.email, password: user.password })
  const before = (await client.getSession()).data.session
  const { data, error } = await client.linkIdentity({
    provider: 'google',
    token: await issuer.token(),
  })
  expect([error, data.user?.id, data.user?.email]).toEqual([null, user.id, user.email])
  expect(data.user?.app_metadata['providers']).toEqual(['email', 'google'])
  expect((await client.refreshSession()).error).toBeNull()
  expect((await refresh(server, before?.refresh_token)).status).toBe(400)
  const stranger = await makeUser(server)
  const taken = await request(server, '/token?grant_type=id_token', {
    token: stranger.accessToken,
    body: { provider: 'google', id_token: await issuer.token(), link_identity: true },
  })
  expect([taken.status, taken.body['code']]).toEqual([422, 'identity_already_exists'])
})

it('the server needs sign-in to link', async () => {
  const answer = await request(server, '/token?grant_type=id_token', {
    body: { provider: 'google', id_token: await issuer.token(), link_identity: true },
  })
  expect([answer.status, answer.body['code']]).toEqual([401, 'no_authorization'])
})

const past = Math.floor(Date.now() / 1000) - 3_600
const mismatch = 'Passed nonce and nonce in id_token should either both exist or not.'
it.each([
  ['a wrong audience', { aud: 'x' }, {}, 'Unacceptable audience in id_token'],
  ['two audiences and no party', { aud: ['hoplet', 'x'] }, {}, /authorized party/],
  ['a wrong party', { azp: 'x' }, {}, /authorized party/],
  ['a wrong issuer', { iss: 'https://evil.example' }, {}, 'Bad ID token'],
  ['an expiry in the past', { exp: past }, {}, 'Bad ID token'],
  ['a time that is yet to come', { iat: past + 7_200 }, {}, 'Bad ID token'],
  ['no expiry', { exp: undefined }, {}, 'Bad ID token'],
  ['a nonce that was not passed', { nonce: hashed }, {}, mismatch],
  ['a passed nonce that it has not', {}, { nonce }, mismatch],
  ['another nonce', { nonce: hashed }, { nonce: 'x' }, 'Nonces mismatch'],
  ['a nonce in clear', { nonce }, { nonce }, 'Nonces mismatch'],
  ['a nonce of other letters', { nonce: 'ü'.repeat(64) }, { nonce }, 'Nonces mismatch'],
  ['another at_hash', { at_hash: atHash('x') }, { access_token: 'at' }, /at_hash does not/],
  ['an at_hash of nothing', { at_hash: atHash('at') }, {}, /access_token it speaks of/],
])(
  'the server refuses an id_token with %s',
  async (_, claims: Record<string, unknown>, more, why) => {
    // The same without the mistake is taken.
    const good = await request(server, '/token?grant_type=id_token', {
      body: { provider: 'google', id_token: await issuer.token() },
    })
    expect(good.status).toBe(200)
    issuer.lies = { claims }
    const { status, body } = await request(server, '/token?grant_type=id_token', {
      body: { provider: 'google', id_token: await issuer.token(), ...more },
    })
    expect([status, body['error']]).toEqual([400, 'invalid_request'])
    expect(body['error_description']).toMatch(why)
  },
)

it('the server refuses an id_token that is unsigned or that another issuer signed', async () => {
  const answers = []
  for (const lies of [
    { alg: 'none' },
    { alg: 'HS256', key: new Uint8Array(32) },
    { key: (await generateKeyPair('RS256')).privateKey },
  ]) {
    issuer.lies = lies
    answers.push(await issuer.token())
  }
  for (const id_token of [...answers, 'x', 'a.b.c']) {
    const { status, body } = await request(server, '/token?grant_type=id_token', {
      body: { provider: 'google', id_token },
    })
    expect([status, body['error_description']]).toEqual([400, 'Bad ID token'])
  }
})

it.each([
  [{}, 'id_token required'],
  [{ id_token: 'x' }, 'provider or client_id and issuer required'],
  [{ id_token: 'x', provider: 'apple' }, /not enabled/],
])('the server names the missing part of %j, to the official client too', async (body, why) => {
  const answer = await request(server, '/token?grant_type=id_token', { body })
  expect([answer.status, answer.body['error']]).toEqual([400, 'invalid_request'])
  expect(answer.body['error_description']).toMatch(why)
})

it.each([
  ['a number for a token', { id_token: 5 }, 400],
  ['a list for a body', [], 400],
  ['broken JSON', '{"id_token":', 400],
  ['nothing', '', 400],
  ['a token over 16 KiB', { provider: 'google', id_token: 'x'.repeat(16_385) }, 400],
  ['a body over 64 KiB', { provider: 'google', id_token: 'x'.repeat(65_536) }, 413],
])('the server answers %s in the words of OAuth', async (_, body: unknown, status) => {
  const answer = await request(server, '/token?grant_type=id_token', { body })
  expect(answer.status).toBe(status)
  expect(Object.keys(answer.body)).toEqual(['error', 'error_description'])
})

it('the server does not blame the token when the keys of the provider cannot be read', async () => {
  const broken = await startIssuer()
  broken.person = { sub: 'google-keys', email: newEmail(), email_verified: true }
  const own = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_GOOGLE_ISSUER: broken.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: 'hoplet',
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: 'secret',
    }),
  })
  const answerWith = async (keysAnswer: Issuer['keysAnswer']) => {
    broken.keysAnswer = keysAnswer
    const token = await broken.token()
    const { error } = await officialClient(own).signInWithIdToken({ provider: 'google', token })
    return error?.message
  }
  for (const keysAnswer of [
    { status: 503, body: '' },
    { status: 200, body: '<!doctype html>' },
    { status: 200, body: '{"keys":"none"}' },
  ])
    expect(await answerWith(keysAnswer)).toBe(
      'Google does not answer right now. Please try again later.',
    )
  expect(await answerWith(undefined)).toBeUndefined()
  await own.close()
  await broken.close()
})

it('the server answers without a 5xx when the provider is gone', async () => {
  const gone = await startIssuer()
  const own = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_GOOGLE_ISSUER: gone.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: 'hoplet',
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: 'secret',
    }),
  })
  await gone.close()
  const { error } = await officialClient(own).signInWithIdToken({
    provider: 'google',
    token: 'x.y.z',
  })
  expect([error?.status, error?.message]).toEqual([
    400,
    'Google does not answer right now. Please try again later.',
  ])
  await own.close()
})
