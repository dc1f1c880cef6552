import { connect } from 'node:net'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { expectToFind, keepLog, leaksOf } from './canaries.ts'
import { type MailingServer, pressLink, startMailingServer } from '../mailed/mailbox.ts'
import { allow, askFor, makeApp, pkcePair, sendForm } from '../oauth/oauth-app.ts'
import { newEmail, request } from '../requests.ts'
import { challenge, codeOf, enroll, stepUp, wrongCode } from '../factors/second-factor.ts'
import { authSettings } from '../stand-ins/settings.ts'
import { newPhone, type SmsGateway, startSmsGateway } from '../stand-ins/sms.ts'

const kept = keepLog()
const secrets: Record<string, string> = {}
let gateway: SmsGateway
let server: MailingServer
let user: TestUser
beforeAll(async () => {
  gateway = await startSmsGateway()
  const auth = authSettings({ SMS_WEBHOOK_URL: gateway.url })
  server = await startMailingServer({ auth }, kept.log)
  user = await makeUser(server)
  await server.sql('update auth.users set email_proven_at = now() where id = $1', [user.id])
})
afterAll(async () => {
  await server.close()
  await gateway.close()
})

function canary(): string {
  return `canary-${randomBytes(12).toString('hex')}`
}

/** Keeps a secret on the list under a unique name. */
function noted(name: string, secret: unknown = canary()): string {
  const text = typeof secret === 'string' ? secret : ''
  secrets[`${name} ${Object.keys(secrets).length}`] = text
  return text
}

const leaks = () => leaksOf(server, kept.written(), secrets)

it('the server logs no secret or code of a second factor', async () => {
  const { accessToken: token } = user
  const app = await enroll(server, token)
  const { secret } = app.body['totp'] as { secret: string }
  noted('secret of the app', secret)
  const factor = String(app.body['id'])
  const wrong = noted('wrong code', await wrongCode(secret))
  expect((await stepUp(server, token, factor, wrong)).status).toBe(422)
  const right = noted('right code', await codeOf(secret))
  const raised = await stepUp(server, token, factor, right)
  expect(raised.status).toBe(200)
  const aal2 = noted('access token', raised.body['access_token'])
  user = { ...user, accessToken: aal2 }

  const phone = noted('phone number', newPhone().slice(1))
  const enrolled = await enroll(server, aal2, { factor_type: 'phone', phone: `+${phone}` })
  const asked = await challenge(server, aal2, String(enrolled.body['id']))
  const code = noted('code by message', gateway.sent.at(-1)?.code)
  for (const given of [noted('code that is none'), code]) {
    const path = `/factors/${String(enrolled.body['id'])}/verify`
    const body = { challenge_id: asked.body['id'], code: given }
    const { status } = await request(server, path, { token: aal2, body })
    expect(status).toBe(given === code ? 200 : 422)
  }
  gateway.status = 500
  const other = { factor_type: 'phone', phone: `+${noted('other number', newPhone().slice(1))}` }
  const { body } = await enroll(server, aal2, other)
  expect((await challenge(server, aal2, String(body['id']))).status).toBe(422)
  noted('code that was not sent', gateway.sent.at(-1)?.code)
  expect(kept.written()).toContain('SMS webhook refused a message')
  expect(await leaks()).toEqual([])
})

it('the server logs no secret of the OAuth server', async () => {
  const app = await makeApp(server, {
    token_endpoint_auth_method: 'client_secret_basic',
    scope: 'openid links:read offline_access',
  })
  const secret = noted('app secret', app.client_secret)
  const basic = (given: string) => {
    const pair = Buffer.from(`${app.client_id}:${given}`).toString('base64')
    return { authorization: `Basic ${noted('Authorization header', pair)}` }
  }
  const pair = pkcePair()
  noted('verifier', pair.verifier)
  const scope = 'openid links:read offline_access'
  const id = await askFor(server, app, pair, {
    scope,
    state: noted('state'),
    nonce: noted('nonce'),
  })
  const code = noted('code', (await allow(server, user, id)).searchParams.get('code'))
  const exchange = (given: string, headers: Record<string, string>) =>
    sendForm(
      server,
      '/oauth/token',
      { grant_type: 'authorization_code', code: given, code_verifier: pair.verifier },
      headers,
    )
  await exchange(code, basic(noted('wrong app secret')))
  await exchange(noted('wrong code'), basic(secret))
  const { body } = await exchange(code, basic(secret))
  const tokens = ['access_token', 'refresh_token', 'id_token'].map((name) =>
    noted(name, body[name]),
  )
  for (const token of [...tokens, noted('foreign token')])
    await sendForm(server, '/oauth/revoke', { token }, basic(secret))
  // A second time, which ends the session: that is written down, the code is not.
  await exchange(code, basic(secret))
  const path = `/admin/oauth/clients/${app.client_id}/regenerate_secret`
  const fresh = await request(server, path, { token: server.serviceRoleKey, body: {} })
  noted('new app secret', fresh.body['client_secret'])
  expect(kept.written()).toContain('authorization code reused')
  expect(await leaks()).toEqual([])
})

it('the server logs no emailed secret', async () => {
  const email = newEmail()
  await request(server, '/signup', { body: { email, password: noted('password') } })
  for (const [path, type] of [
    ['/recover', 'recovery'],
    ['/otp', 'magiclink'],
  ] as const) {
    await request(server, path, { body: { email } })
    const { link, code } = await server.mailFor(email)
    const token = noted(`${type} token`, new URL(link).searchParams.get('token'))
    noted(`${type} code`, code)
    await request(server, '/verify', { body: { type, email, token: noted('wrong', '000001') } })
    await fetch(link)
    await pressLink(server, link)
    await pressLink(server, link)
    await request(server, '/verify', { body: { type, token_hash: token } })
    await request(server, '/verify', { body: { type, email, token: code } })
  }
  noted('address', email)
  expect(kept.written()).toContain('mailed link refused')
  expect(await leaks()).toEqual([])
})

it('the server logs no header that identifies a person, at any door', async () => {
  const paths = [
    '/auth/v1/user',
    '/rest/v1/profiles',
    '/functions/v1/check-subscription',
    '/media/x',
  ]
  for (const path of [...paths, '/report', '/dashboard', '/no-such-code', '/health/ready']) {
    for (const scheme of ['Bearer', 'Basic', 'Digest']) {
      const headers = {
        cookie: `sb-access-token=${noted('cookie')}`,
        authorization: `${scheme} ${noted('authorization')}`,
        apikey: noted('key'),
      }
      const query = `?access_token=${noted('query')}`
      await (await fetch(`${server.url}${path}${query}`, { headers, redirect: 'manual' })).text()
    }
  }
  const { hostname, port } = new URL(server.url)
  const head = () => `Cookie: a=${noted('cookie')}\r\nAuthorization: Bearer ${noted('bearer')}\r\n`
  for (const raw of [
    `GET /auth/v1/user HTTP/1.1\r\nHost: "><x\r\n${head()}Connection: close\r\n\r\n`,
    `GET /auth/v1/user HTTP/1.1\r\nHost: x\r\n${head()}Bad Header: ${noted('bad')}\r\n\r\n`,
    `GET /auth/v1/user?${noted('long query')}${'a'.repeat(9_000)} HTTP/1.1\r\nHost: x\r\n${head()}\r\n`,
    `GET /auth/v1/user HTTP/1.1\r\nHost: x\r\n${head()}X: ${noted('long')}${'a'.repeat(20_000)}\r\n\r\n`,
  ])
    await new Promise<void>((done) => {
      const socket = connect(Number(port), hostname, () => socket.write(raw))
      socket.resume().on('close', () => done())
    })
  expect(kept.written().match(/"refused"/g)?.length).toBeGreaterThanOrEqual(4)
  expect(await leaks()).toEqual([])
})

it('the check would find each of them, in both places (control)', async () => {
  expect(Object.keys(secrets).length).toBeGreaterThan(80)
  const code = Object.values(secrets).find((secret) => /^\d{6}$/.test(secret)) ?? ''
  await expectToFind(server, kept, { code, planted: canary() })
})
