import { beforeAll, expect, it } from 'vitest'
import { getSettings } from '#server/auth/public-facts.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { request } from './requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
it('the server lists the sign-in methods', async () => {
  const { status, body } = await request(server, '/settings')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    disable_signup: false,
    mailer_autoconfirm: true,
    mail: 'log',
    external: { email: true, google: false },
  })
})

it.each([
  [
    'sent',
    {
      PUBLIC_URL: 'https://hop.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'a@hop.example',
    },
  ],
  ['log', { PUBLIC_URL: 'http://localhost:3000' }],
  ['none', { PUBLIC_URL: 'https://hop.example' }],
] as const)('the server says that its mail is %s', async (mail, variables) => {
  const config = createConfig(parseVariables({ ...variables }))
  const answer = getSettings({ deps: { ...server.context, config } } as never)
  expect(await answer.json()).toMatchObject({ mail })
})

it('the server says that it is there', async () => {
  expect((await request(server, '/health')).status).toBe(200)
})

it('the server publishes the public key only, for 10 minutes', async () => {
  const { status, headers, body } = await request(server, '/.well-known/jwks.json')
  expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=600'])
  expect(body['keys']).toMatchObject([
    { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', key_ops: ['verify'] },
  ])
  expect(JSON.stringify(body)).not.toContain('"d"')
})

it('the server answers HEAD like GET, and a preflight from any page', async () => {
  const head = await fetch(`${server.url}/auth/v1/settings`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const preflight = await fetch(`${server.url}/auth/v1/token`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'apikey',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
})
