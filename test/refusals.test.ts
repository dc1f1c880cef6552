import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { AuthClient } from '@supabase/auth-js'
import { PostgrestClient } from '@supabase/postgrest-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Config } from '#server/config.ts'
import { answerUnreadable } from '#server/http/refusals.ts'
import { createLog } from '#server/log.ts'
import { startTestServer, type TestServer } from './server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

/** Sends these bytes on a new connection and returns everything the server sends back. */
function exchange(bytes: string, url = server.url): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'))
    socket.on('data', (chunk) => (answer += chunk.toString('latin1')))
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
    socket.setTimeout(5_000, () => socket.destroy(new Error('no answer')))
  })
}

const host = 'Host: hop.example\r\n'

it.each([
  [400, 'GARBAGE\r\n\r\n'],
  [400, `GET /x HTTP/1.1\r\n${host}Bad Header: x\r\n\r\n`],
  [400, 'GET /dashboard HTTP/1.1\r\nHost: "><x\r\nConnection: close\r\n\r\n'],
  [414, `GET /${'a'.repeat(9_000)} HTTP/1.1\r\n${host}\r\n`],
  [431, `GET /dashboard HTTP/1.1\r\n${host}X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
  [405, `POST /some-code HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`],
])('the server answers %i with a request id to %j', async (status, bytes) => {
  const answer = await exchange(bytes)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(answer).toMatch(/x-request-id: [0-9a-f-]{36}/i)
  expect(answer).not.toContain('hop.example')
})

function read(answer: string) {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { head: head.toLowerCase(), body: JSON.parse(body) as unknown }
}

const long = 'a'.repeat(9_000)
const tooLong = { code: 'uri_too_long', message: 'The address of the request is too long' }

it.each([
  ['/auth/v1/authorize?x=', tooLong],
  ['/rest/v1/profiles?x=', { ...tooLong, details: null, hint: null }],
  ['/functions/v1/generate-popup?x=', { error: tooLong.message }],
  ['/media/uploads?x=', { error: tooLong.message }],
])('the server answers 414 under %s in the shape of that door', async (path, body) => {
  const answer = read(await exchange(`GET ${path}${long} HTTP/1.1\r\n${host}\r\n`))
  expect(answer.head).toMatch(/^http\/1\.1 414 /)
  expect(answer.head).toContain('content-type: application/json')
  expect(answer.head).toContain('x-supabase-api-version: 2024-01-01')
  expect(answer.body).toEqual(body)
})

it.each([
  [431, 'headers_too_large', `GET /auth/v1/user HTTP/1.1\r\n${host}X-A: ${long}${long}\r\n\r\n`],
  [400, 'bad_request', `GET /auth/v1/user HTTP/1.1\r\n${host}Bad Header: x\r\n\r\n`],
  [400, 'bad_request', 'GET /auth/v1/user HTTP/1.1\r\nHost: "><x\r\nConnection: close\r\n\r\n'],
])(
  'the server answers %i in the words of the auth protocol: %s to %j',
  async (status, code, bytes) => {
    const { head, body } = read(await exchange(bytes))
    expect(head).toMatch(new RegExp(`^http/1\\.1 ${status} `))
    expect(head).toContain('x-supabase-api-version: 2024-01-01')
    expect(body).toEqual({ code, message: expect.any(String) as unknown })
  },
)

it('the server responds 408 with the same body to a slow request', async () => {
  const slow = createServer({ headersTimeout: 100, connectionsCheckingInterval: 50 })
  answerUnreadable(slow, createLog('fatal'))
  await new Promise<void>((ready) => slow.listen(0, '127.0.0.1', ready))
  try {
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
    const { head, body } = read(await exchange(`GET /auth/v1/user HTTP/1.1\r\n${host}`, url))
    expect(head).toMatch(/^http\/1\.1 408 /)
    expect(head).toContain('x-supabase-api-version: 2024-01-01')
    expect(body).toMatchObject({ code: 'request_timeout' })
  } finally {
    slow.close()
  }
})

it('the server uses errors that the official clients understand', async () => {
  const auth = new AuthClient({ url: `${server.url}/auth/v1`, persistSession: false })
  const { error } = await auth.getUser('a'.repeat(20_000))
  expect([error?.status, error?.code]).toEqual([431, 'headers_too_large'])
  const tables = new PostgrestClient(`${server.url}/rest/v1`)
  const answer = await tables.from('profiles').select('id').eq('id', long)
  expect([answer.status, answer.error?.code]).toEqual([414, 'uri_too_long'])
})

it('the server covers subdomains with HSTS only when configured, and permits no device features', async () => {
  const headersOf = async (config: Partial<Config>) => {
    const secured = await startTestServer({ publicUrl: 'https://hop.example', ...config })
    try {
      const answers = ['/health/live', '/no-such-code', '/demo'].map((path) =>
        fetch(`${secured.url}${path}`, { redirect: 'manual' }),
      )
      return (await Promise.all(answers)).map(({ headers }) => headers)
    } finally {
      await secured.close()
    }
  }
  const transportOf = (all: Headers[]) => all.map((each) => each.get('strict-transport-security'))
  const plain = await headersOf({})
  expect(transportOf(plain)).toEqual(Array(3).fill('max-age=31536000'))
  expect(plain[0]?.get('permissions-policy')).toContain('camera=()')
  const wide = await headersOf({ hstsSubdomains: true })
  expect(transportOf(wide)).toEqual(Array(3).fill('max-age=31536000; includeSubDomains'))
})
