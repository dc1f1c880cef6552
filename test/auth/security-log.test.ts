import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newEmail, refresh, request, signIn } from './requests.ts'

let server: TestServer
let written = ''
beforeAll(async () => {
  server = await startTestServer()
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  server.context.log = pino({ level: 'trace' }, sink)
})
afterAll(() => server.close())
beforeEach(() => {
  written = ''
})

const lines = () =>
  written
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const events = () => lines().flatMap(({ security }) => (security === undefined ? [] : [security]))

it('writes who did what, and no secret or address in clear', async () => {
  const email = newEmail()
  const password = 'a secret nobody may read'
  const user = await makeUser(server, { email, password, signsUp: true })
  await request(server, '/signup', { body: { email, password } })
  await signIn(server, email, `not ${password}`)
  const { body } = await signIn(server, email, password)
  let token: unknown = user.refreshToken
  const tokens = [
    user.accessToken,
    user.refreshToken,
    String(body['access_token']),
    String(body['refresh_token']),
  ]
  for (let i = 0; i < 2; i++) {
    token = (await refresh(server, token)).body['refresh_token']
    tokens.push(String(token))
  }
  await refresh(server, user.refreshToken)
  await request(server, '/user', {
    method: 'PUT',
    token: tokens[2] ?? '',
    body: { data: { x: 1 } },
  })
  await request(server, '/logout', { method: 'POST', token: tokens[2] ?? '' })

  expect(events()).toEqual([
    'sign-up',
    'sign-up refused',
    'sign-in failed',
    'sign-in',
    'refresh token reused, session ended',
    'profile data changed',
    'logout',
  ])
  for (const line of lines().filter(({ security }) => security !== undefined)) {
    expect(line).toMatchObject({ request_id: expect.any(String) as string, address: '127.0.0.1' })
    expect(line['user_id'] ?? line['account']).toBeTruthy()
  }
  for (const secret of [email, encodeURIComponent(email), password, ...tokens])
    expect(written).not.toContain(secret)
})

it('names the request of each refusal', async () => {
  const answer = await request(server, '/signup', { body: '{' })
  expect(lines()).toContainEqual(
    expect.objectContaining({
      request_id: answer.headers.get('x-request-id'),
      status: 400,
      code: 'bad_json',
    }) as unknown,
  )
})
