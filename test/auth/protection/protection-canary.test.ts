import { Writable } from 'node:stream'
import { pino } from 'pino'
import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import { newEmail, refresh, request, signIn } from '../requests.ts'

let server: TestServer
let written = ''
beforeAll(async () => {
  server = await sharedServer()
  const { config } = server.context
  config.auth = {
    ...config.auth,
    captcha: undefined,
    providers: [
      {
        id: 'canary',
        name: 'Canary',
        kind: 'openid',
        issuer: 'http://127.0.0.1:9',
        clientIds: ['app'],
        clientSecret: 'canary-provider-secret',
        isAutomatic: false,
        scopes: 'openid',
        clientAuth: undefined,
        adminClaim: undefined,
        spaceClaim: undefined,
      },
    ],
  }
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  server.context.log = pino({ level: 'trace' }, sink)
})
it('the server writes none of ten secrets into the log or the table of events, in good calls and bad ones', async () => {
  const [password, wrong, next] = ['canary-password-1', 'canary-password-2', 'canary-password-3']
  const email = newEmail()
  const user = await makeUser(server, { email, password })
  const { body } = await signIn(server, email, password)
  await signIn(server, email, wrong)
  await refresh(server, user.refreshToken)
  const access = String(body['access_token'])
  const totp = await request(server, '/factors', {
    token: access,
    body: { factor_type: 'totp', friendly_name: 'phone' },
  })
  const { secret } = totp.body['totp'] as { secret: string }
  await request(server, `/factors/${String(totp.body['id'])}/verify`, {
    token: access,
    body: { challenge_id: 'x', code: '000000' },
  })
  const link = await request(server, '/admin/generate_link', {
    token: server.serviceRoleKey,
    body: { type: 'recovery', email },
  })
  const mailed = String(link.body['hashed_token'])
  await request(server, '/verify', { body: { type: 'recovery', token_hash: `${mailed}x` } })
  await fetch(`${server.url}/auth/v1/verify?type=recovery&token=${mailed}`)
  await request(server, '/verify', { body: { type: 'recovery', token_hash: mailed } })
  await request(server, '/user', { method: 'PUT', token: access, body: { password: next } })
  await request(server, '/user', { token: `${access}x` })
  await request(server, '/signup', { body: `{"email": "${email}", "password": "${wrong}"` })
  await request(server, '/token?grant_type=id_token', {
    body: { provider: 'canary', id_token: 'canary-id-token' },
  })
  await request(server, '/token?grant_type=pkce', {
    body: { auth_code: 'canary-auth-code', code_verifier: 'canary-verifier' },
  })
  await server.context.securityEvents.flush()

  const secrets = {
    password,
    wrong,
    next,
    access: access.split('.')[2] ?? '',
    refresh: String(body['refresh_token']),
    usedRefresh: user.refreshToken,
    serviceKey: server.serviceRoleKey.split('.')[2] ?? '',
    totp: secret,
    mailed,
    code: 'canary-auth-code',
    verifier: 'canary-verifier',
    idToken: 'canary-id-token',
    provider: 'canary-provider-secret',
    address: email,
  }
  const rows = JSON.stringify(await server.sql('select * from auth.security_events'))
  expect(written.length).toBeGreaterThan(2_000)
  expect(rows).toContain('sign-in failed')
  for (const [name, canary] of Object.entries(secrets)) {
    expect(canary.length).toBeGreaterThan(8)
    expect([name, written.includes(canary)]).toEqual([name, false])
    expect([name, rows.includes(canary)]).toEqual([name, false])
  }
})

it('the check would find one (control)', () => {
  server.context.log.info({ anything: 'canary-password-1' })
  expect(written).toContain('canary-password-1')
})
