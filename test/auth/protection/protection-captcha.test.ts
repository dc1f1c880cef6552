import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ConfigurationError, parseVariables } from '#server/env.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newEmail, officialClient, refresh, request } from '../requests.ts'

let server: TestServer
let provider: Server
let asked: Record<string, string>[] = []
let verdict: { status: number; body: string; hang?: boolean }

beforeAll(async () => {
  provider = createServer((message, response) => {
    let form = ''
    message.on('data', (chunk) => (form += String(chunk)))
    message.on('end', () => {
      asked.push(Object.fromEntries(new URLSearchParams(form)))
      if (!verdict.hang) response.writeHead(verdict.status).end(verdict.body)
    })
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const { port } = provider.address() as AddressInfo
  server = await startTestServer()
  // Read on each call.
  server.context.config.auth = {
    ...server.context.config.auth,
    captcha: {
      provider: 'hcaptcha',
      siteKey: 'site-1',
      secret: 'secret-1',
      verifyUrl: `http://127.0.0.1:${port}/siteverify`,
    },
  }
})
afterAll(async () => {
  await server.close()
  provider.closeAllConnections()
  provider.close()
})
beforeEach(() => {
  asked = []
  verdict = { status: 200, body: '{"success": true}' }
})

const password = 'correct horse 42'
const calls: [string, string, Record<string, unknown>][] = [
  ['a sign-up', '/signup', { email: newEmail(), password }],
  ['a sign-in', '/token?grant_type=password', { email: newEmail(), password }],
  ['a provider’s token', '/token?grant_type=id_token', { provider: 'google', id_token: 'x' }],
  ['a recovery', '/recover', { email: newEmail() }],
  ['a sign-in link', '/otp', { email: newEmail() }],
  ['a magic link', '/magiclink', { email: newEmail() }],
  ['a mail once more', '/resend', { type: 'signup', email: newEmail() }],
]

it.each(calls)('the server asks for the captcha before %s', async (_, path, body) => {
  const bare = await request(server, path, { body })
  expect([bare.status, bare.body['code']]).toEqual([400, 'captcha_failed'])
  expect(asked).toEqual([])
  verdict.body = '{"success": false, "error-codes": ["invalid-input-response"]}'
  const meta = { gotrue_meta_security: { captcha_token: 'token-1' } }
  const wrong = await request(server, path, { body: { ...body, ...meta } })
  expect([wrong.status, wrong.body['code']]).toEqual([400, 'captcha_failed'])
  expect(asked).toEqual([
    { secret: 'secret-1', response: 'token-1', remoteip: '127.0.0.1', sitekey: 'site-1' },
  ])
  verdict.body = '{"success": true}'
  const solved = await request(server, path, { body: { ...body, ...meta } })
  expect(solved.body['code']).not.toBe('captcha_failed')
})

it('the server accepts the token from the official client, and needs none to refresh', async () => {
  const client = officialClient(server)
  const email = newEmail()
  const { data, error } = await client.signUp({ email, password, options: { captchaToken: 't' } })
  expect(error).toBeNull()
  expect(asked).toHaveLength(1)
  expect((await refresh(server, data.session?.refresh_token)).status).toBe(200)
  expect(asked).toHaveLength(1)
  const missing = await client.signInWithPassword({ email, password })
  expect(missing.error?.code).toBe('captcha_failed')
})

it.each([
  ['fails', { status: 500, body: '{}' }],
  ['says something else', { status: 200, body: 'hello' }],
  ['says no yes or no', { status: 200, body: '{"success": "true"}' }],
  ['does not answer', { status: 200, body: '', hang: true }],
])('the server refuses every sign-in when the provider %s', async (_, answer) => {
  verdict = answer
  const body = { email: newEmail(), password, gotrue_meta_security: { captcha_token: 't' } }
  const { status, body: said } = await request(server, '/signup', { body })
  expect([status, said['code']]).toEqual([400, 'captcha_failed'])
  expect(await server.sql('select 1 from auth.users where email = $1', [body.email])).toEqual([])
})

it('the server asks the operator’s own programs for no captcha', async () => {
  const answer = await request(server, '/signup', {
    token: server.serviceRoleKey,
    body: { email: newEmail(), password },
  })
  expect(answer.status).toBe(200)
  expect(asked).toEqual([])
})

it('the server tells screens which widget to show', async () => {
  const { body } = await request(server, '/settings')
  expect(body['captcha']).toEqual({ provider: 'hcaptcha', site_key: 'site-1' })
  expect(JSON.stringify(body)).not.toContain('secret-1')
})

it('the server is configured completely or not at all', () => {
  expect(() => parseVariables({ CAPTCHA_PROVIDER: 'turnstile' })).toThrow(ConfigurationError)
  expect(() =>
    parseVariables({ CAPTCHA_PROVIDER: 'other', CAPTCHA_SITE_KEY: 'a', CAPTCHA_SECRET: 'b' }),
  ).toThrow('CAPTCHA_PROVIDER')
  const whole = { CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SITE_KEY: 'a', CAPTCHA_SECRET: 'b' }
  expect(parseVariables(whole)).toMatchObject({ captcha: whole })
})
