import { randomBytes, randomUUID } from 'node:crypto'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { newEmail, refresh, request, signIn } from './requests.ts'

let server: TestServer
let written = ''
beforeAll(async () => {
  server = await sharedServer()
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  server.context.log = pino({ level: 'trace' }, sink)
})
beforeEach(() => {
  written = ''
})

const lines = () =>
  written
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const events = () => lines().flatMap(({ security }) => (security === undefined ? [] : [security]))

it('the security log has account and action, and no secret or address in clear', async () => {
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

it('the security log names the request of each refusal', async () => {
  const answer = await request(server, '/signup', { body: '{' })
  expect(lines()).toContainEqual(
    expect.objectContaining({
      request_id: answer.headers.get('x-request-id'),
      status: 400,
      code: 'bad_json',
    }) as unknown,
  )
})

const eventsOf = async (userId: string) =>
  (
    await server.sql<{ event: string; facts: Record<string, unknown> }>(
      'select event, facts from auth.security_events where user_id = $1 order by id',
      [userId],
    )
  ).map(({ event, facts }) => [event, facts['by'] ?? facts['fields']])

it('the security log loses only the event that the database refuses, not its batch', async () => {
  const { securityEvents } = server.context
  const about = { session_id: null, address: '', user_agent: null, facts: {} }
  const id = randomUUID()
  for (const user_id of [id, 'not a uuid', id])
    securityEvents.add({ event: 'data exported', user_id, ...about })
  await securityEvents.flush()
  expect(await eventsOf(id)).toEqual([
    ['data exported', undefined],
    ['data exported', undefined],
  ])
})

it('the security log names the changed fields of an account', async () => {
  const user = await makeUser(server)
  const change = (body: unknown) =>
    request(server, '/user', { method: 'PUT', token: user.accessToken, body })
  await server.context.securityEvents.flush()
  const before = (await eventsOf(user.id)).length
  await change({ data: { city: 'Bern' } })
  await change({ password: 'another horse 43' })
  await change({ email: newEmail() })
  await server.context.securityEvents.flush()
  expect((await eventsOf(user.id)).slice(before)).toEqual([
    ['profile data changed', ['city']],
    ['password changed', undefined],
    ['address changed', undefined],
  ])
})

it('the security log stores at most one change of profile data a minute, with short names of its fields', async () => {
  const user = await makeUser(server)
  const long = randomBytes(2_000).toString('hex')
  const change = async (data: Record<string, unknown>) => {
    const answer = await request(server, '/user', {
      method: 'PUT',
      token: user.accessToken,
      body: { data },
    })
    expect(answer.status).toBe(200)
    await server.context.securityEvents.flush()
  }
  const changes = async () =>
    (await eventsOf(user.id)).filter(([event]) => event === 'profile data changed')
  const aMinuteLater = () =>
    server.sql(
      `update auth.security_events set at = at - interval '61 seconds' where user_id = $1`,
      [user.id],
    )
  await change({ [long]: null })
  const first = ['profile data changed', [long.slice(0, 40)]]
  expect(await changes()).toEqual([first])
  for (const name of ['a', 'b', 'c']) await change({ [name]: null })
  expect(await changes()).toEqual([first])
  // A cut leaves no half of an emoji, which the database would refuse.
  await aMinuteLater()
  await change({ city: 'Bern', [`${'x'.repeat(39)}😀y`]: null })
  const second = ['profile data changed', ['city', `${'x'.repeat(39)}😀`]]
  expect(await changes()).toEqual([first, second])
})

it('the security log skips repeated changes of one batch, and no other events', async () => {
  const { securityEvents } = server.context
  const about = { session_id: null, address: '', user_agent: null, facts: {} }
  const id = randomUUID()
  for (let i = 0; i < 3; i++) {
    securityEvents.add({ event: 'profile data changed', user_id: id, ...about })
    securityEvents.add({ event: 'password changed', user_id: id, ...about })
  }
  await securityEvents.flush()
  expect((await eventsOf(id)).map(([event]) => event)).toEqual([
    'profile data changed',
    ...Array.from({ length: 3 }, () => 'password changed'),
  ])
})

it('the security log stores at most 2 kB of facts of an event', async () => {
  const { securityEvents } = server.context
  const id = randomUUID()
  for (const length of [1_900, 100_000])
    securityEvents.add({
      event: 'data exported',
      user_id: id,
      session_id: null,
      address: '',
      user_agent: null,
      facts: { fields: 'x'.repeat(length), request_id: 'r' },
    })
  await securityEvents.flush()
  const rows = await server.sql<{ facts: unknown }>(
    'select facts from auth.security_events where user_id = $1 order by id',
    [id],
  )
  expect(rows.map(({ facts }) => facts)).toEqual([
    { fields: 'x'.repeat(1_900), request_id: 'r' },
    { request_id: 'r' },
  ])
})

it('the security log records a display name that the person, or an admin, has changed', async () => {
  const [user, admin] = [await makeUser(server), await makeUser(server, { role: 'admin' })]
  const rename = (by: typeof user, name: string) =>
    fetch(`${server.url}/rest/v1/profiles?id=eq.${user.id}`, {
      method: 'PATCH',
      headers: { ...by.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ display_name: name }),
    })
  const names = async () =>
    (await eventsOf(user.id)).filter(([event]) => event === 'display name changed')
  expect((await rename(user, 'Ada')).status).toBe(204)
  expect(await names()).toEqual([['display name changed', 'self']])
  // Many changes at once leave one event, so that no one can fill the table.
  for (const name of ['B', 'C', 'D']) await rename(user, name)
  expect(await names()).toHaveLength(1)
  await server.sql(`update auth.security_events set at = at - interval '61 seconds'`)
  expect((await rename(admin, 'Grace')).status).toBe(204)
  expect(await names()).toEqual([
    ['display name changed', 'self'],
    ['display name changed', 'admin'],
  ])
  // The owner reads it under Settings.
  const { body } = await request(server, '/user/events', { token: user.accessToken })
  expect(JSON.stringify(body)).toContain('display name changed')
})
