import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countingHasher, newEmail, request } from './requests.ts'

let server: TestServer
let user: TestUser
beforeAll(async () => {
  server = await startTestServer({}, { hasher: countingHasher() })
  user = await makeUser(server)
})
afterAll(() => server.close())

const calls: [string, string][] = [
  ['POST', '/signup'],
  ['POST', '/token?grant_type=password'],
  ['POST', '/token?grant_type=refresh_token'],
  ['PUT', '/user'],
]

it.each(calls)('%s %s takes JSON only', async (method, path) => {
  const body = JSON.stringify({ email: newEmail(), password: 'six666' })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ]) {
    const { status } = await request(server, path, {
      method,
      body,
      token: user.accessToken,
      headers: { 'content-type': type },
    })
    expect(status).toBe(415)
  }
})

it('the server changes nothing for a cookie or a GET', async () => {
  const cookie = `access_token=${user.accessToken}; sb-access-token=${user.accessToken}`
  for (const [method, path] of [
    ['PUT', '/user'],
    ['POST', '/logout'],
  ] as const) {
    expect((await request(server, path, { method, body: {}, headers: { cookie } })).status).toBe(
      401,
    )
  }
  for (const path of ['/logout', '/signup', '/token?grant_type=password']) {
    const { status, headers, body } = await request(server, path, { token: user.accessToken })
    expect([status, headers.get('allow'), body['code']]).toEqual([
      405,
      'POST',
      'method_not_allowed',
    ])
  }
})

it('the server answers text that the database cannot store with a refusal', async () => {
  const { accessToken: token } = user
  for (const [method, path] of [
    ['DELETE', '/factors/%00'],
    ['POST', '/factors/%00/challenge'],
    ['POST', '/factors/%00/verify'],
  ] as const) {
    const body = { challenge_id: randomUUID(), code: '123456' }
    const { status, body: refusal } = await request(server, path, { method, token, body })
    expect([path, status, refusal['code']]).toEqual([path, 400, 'validation_failed'])
  }
  for (const path of ['/oauth/token', '/oauth/revoke']) {
    const { status, body } = await request(server, path, {
      method: 'POST',
      body: 'grant_type=refresh_token&refresh_token=x&token=x',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from('%00:x').toString('base64')}`,
      },
    })
    expect([path, status, body['error']]).toEqual([path, 401, 'invalid_client'])
  }
})

it.each([
  '',
  '/',
  '/users',
  '/user/',
  '/USER',
  '//user',
  '/user/../admin',
  '/constructor',
  '/__proto__',
  '/%00',
  '/%',
  '/.well-known/x',
])('the server has no path %j', async (path) => {
  const { status } = await request(server, path, { token: user.accessToken })
  expect(status).toBe(404)
})

it.each([
  ['no JSON', '{', 400, 'bad_json'],
  ['nothing', ' ', 400, 'validation_failed'],
  ['null', 'null', 400, 'validation_failed'],
  ['a text', '"x"', 400, 'validation_failed'],
  ['deep nesting', `${'['.repeat(10_000)}${']'.repeat(10_000)}`, 400, 'bad_json'],
  ['65 kB', JSON.stringify({ email: 'x'.repeat(66_000) }), 413, 'validation_failed'],
])('the server answers a body with %s', async (_, body, status, code) => {
  for (const [method, path] of calls) {
    const answer = await request(server, path, { method, body, token: user.accessToken })
    expect([answer.status, answer.body['code']]).toEqual([status, code])
    expect(answer.headers.get('x-request-id')).toBeTruthy()
  }
})

it('the server answers invalid UTF-8 and a body of unknown length', async () => {
  const send = (body: BodyInit) =>
    fetch(`${server.url}/auth/v1/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
  expect((await send(new Uint8Array([0x22, 0xff, 0xfe, 0x22]))).status).toBe(400)
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(16_384).fill(0x20)),
  })
  const status = await send(endless).then(
    (response) => response.status,
    () => 'connection closed',
  )
  expect([413, 'connection closed']).toContain(status)
})

it('the server survives clients that disconnect in the middle of a body', async () => {
  const { hostname, port } = new URL(server.url)
  for (let n = 0; n < 20; n++) {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          'POST /auth/v1/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{"em',
        )
        setTimeout(() => socket.destroy(), 5)
      })
      socket.on('close', () => resolve())
    })
  }
  expect((await request(server, '/health')).status).toBe(200)
})

const field = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 90 }),
  fc.constantFrom(
    'a@example.com',
    'a\0@example.com',
    '\ud800',
    'x'.repeat(80),
    '',
    "'; drop table auth.users; --",
  ),
  fc.jsonValue({ maxDepth: 3 }),
)
const body = fc.record(
  {
    email: field,
    password: field,
    phone: fc.option(field),
    data: fc.oneof(fc.object({ maxDepth: 3 }), field),
    refresh_token: field,
    gotrue_meta_security: field,
  },
  { requiredKeys: [] },
)
const header = fc.stringMatching(/^[ -~]{0,60}$/)

it('the server never answers with a 5xx to any body and headers', async () => {
  let seen = 0
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...calls),
      body,
      fc.boolean(),
      header,
      header,
      async ([method, path], input, signed, one, two) => {
        const { status } = await request(server, path, {
          method,
          body: input,
          headers: {
            'x-supabase-api-version': one,
            'user-agent': two,
            authorization: signed ? `Bearer ${user.accessToken}` : one,
            'x-forwarded-for': two,
          },
        })
        seen++
        expect(status).toBeLessThan(500)
      },
    ),
    { numRuns: 400 },
  )
  expect(seen).toBeGreaterThanOrEqual(400)
  expect(await server.sql('select 1 from auth.users limit 1')).toHaveLength(1)
})

it('the server never answers with a 5xx to any path and query', async () => {
  const part = fc.string({ unit: 'grapheme-ascii', maxLength: 40 }).map(encodeURI)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
      fc.constantFrom('', 'token', 'logout', 'user', 'signup', 'settings'),
      part,
      async (method, path, rest) => {
        const response = await fetch(`${server.url}/auth/v1/${path}${rest}`, {
          method,
          ...(method !== 'GET' && { body: '{}', headers: { 'content-type': 'application/json' } }),
        })
        await response.arrayBuffer()
        expect(response.status).toBeLessThan(500)
      },
    ),
    { numRuns: 300 },
  )
})

it('the server answers 503 with Retry-After when the database is away, and works again after', async () => {
  const { database } = server.context
  const { transactionAs } = database
  const { openDatabase } = await import('#server/postgres/database.ts')
  const gone = openDatabase('postgres://nobody@127.0.0.1:1/none', server.context.log)
  database.transactionAs = gone.transactionAs
  try {
    for (const answer of [
      await request(server, '/user', { token: user.accessToken }),
      await request(server, '/token?grant_type=password', {
        body: { email: user.email, password: 'x' },
      }),
      await request(server, '/signup', { body: { email: newEmail(), password: 'six666' } }),
    ]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    }
    const page = await fetch(`${server.url}/auth/v1/verify?token=x&type=recovery`, {
      headers: { accept: 'text/html' },
    })
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await page.text()).toContain('Please try again')
  } finally {
    database.transactionAs = transactionAs
    await gone.close()
  }
  expect((await request(server, '/user', { token: user.accessToken })).status).toBe(200)
})
