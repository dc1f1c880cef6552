import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { expectToFind, keepLog, leaksOf } from './canaries.ts'
import { newEmail, request } from '../requests.ts'
import { makeBrowser } from '../stand-ins/browser.ts'
import { type Issuer, type Lies, startIssuer } from '../stand-ins/issuer.ts'
import { serve, type StandIn } from '../stand-ins/serve.ts'
import { authSettings } from '../stand-ins/settings.ts'

const app = 'https://app.example/signed-in'
const kept = keepLog()
const secrets: Record<string, string> = { provider: canary(), captcha: canary() }
let issuer: Issuer
let captcha: StandIn
let verdict: (form: string) => [number, string]
let server: TestServer
beforeAll(async () => {
  issuer = await startIssuer()
  captcha = await serve((incoming, outgoing) => {
    let form = ''
    incoming.on('data', (chunk) => (form += String(chunk)))
    incoming.on('end', () => {
      const [status, body] = verdict(form)
      outgoing.writeHead(status).end(body)
    })
  })
  const auth = authSettings({
    AUTH_PROVIDER_ACME_ISSUER: issuer.url,
    AUTH_PROVIDER_ACME_CLIENT_ID: 'hoplet',
    AUTH_PROVIDER_ACME_CLIENT_SECRET: secrets['provider'] ?? '',
    AUTH_REDIRECT_URLS: app,
  })
  server = await startTestServer({ auth }, {}, kept.log)
})
afterAll(async () => {
  await server.close()
  await captcha.close()
  await issuer.close()
})

function canary(): string {
  return `canary-${randomBytes(12).toString('hex')}`
}

/** Keeps a secret on the list under a unique name. */
function noted(name: string, secret = canary()): string {
  secrets[`${name} ${Object.keys(secrets).length}`] = secret
  return secret
}

/** There and back, with PKCE, past an issuer that lies in this way. */
async function passBy(lies: Lies, isIll = false): Promise<URL> {
  issuer.person = { sub: canary(), email: newEmail(), email_verified: true }
  const browser = makeBrowser()
  const verifier = noted('verifier', randomBytes(32).toString('base64url'))
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const away = await browser.open(
    `${server.url}/auth/v1/authorize?provider=acme&redirect_to=${app}&code_challenge=${challenge}&code_challenge_method=s256`,
  )
  const there = new URL(away.headers.get('location') ?? '')
  issuer.nonce = noted('nonce', there.searchParams.get('nonce') ?? '')
  noted('browser mark', /flow=([\w-]+)/.exec(away.headers.get('set-cookie') ?? '')?.[1] ?? '')
  const state = noted('state', there.searchParams.get('state') ?? '')
  Object.assign(issuer, { lies, isIll })
  const { token } = issuer
  issuer.token = async (...given) => noted('id_token', await token.apply(issuer, given))
  const query = new URLSearchParams({ state, code: noted('provider code'), iss: issuer.url })
  const back = await browser.open(`${server.url}/auth/v1/callback?${query}`)
  const exchange = issuer.exchanges.at(-1)
  noted('verifier at the provider', exchange?.get('code_verifier') ?? '')
  Object.assign(issuer, { lies: {}, isIll: false, token })
  const end = new URL(back.headers.get('location') ?? '')
  const code = end.searchParams.get('code')
  if (code === null) return end
  for (const code_verifier of [noted('wrong verifier', 'v'.repeat(43)), verifier]) {
    const body = { auth_code: noted('auth code', code), code_verifier }
    const answer = await request(server, '/token?grant_type=pkce', { body })
    if (answer.status !== 200) continue
    noted('access token', String(answer.body['access_token']).split('.')[2] ?? '')
    noted('refresh token', String(answer.body['refresh_token']))
  }
  return end
}

it('the server logs no secret of a provider sign-in, successful or failed', async () => {
  expect((await passBy({})).searchParams.has('code')).toBe(true)
  for (const lies of [
    { claims: { nonce: 'replayed' } },
    { claims: { aud: 'another app' } },
    { claims: { sub: { not: noted('claim') } } },
    { alg: 'none' },
  ])
    expect((await passBy(lies)).searchParams.get('error_code')).toBe('unexpected_failure')
  expect((await passBy({}, true)).searchParams.get('error')).toBe('temporarily_unavailable')
  const refused = new URLSearchParams({
    state: canary(),
    error: 'access_denied',
    code: noted('code'),
  })
  await makeBrowser().open(`${server.url}/auth/v1/callback?${refused}`)
  expect(kept.written()).toContain('provider sign-in failed')

  issuer.person = { sub: canary(), email: newEmail(), email_verified: true }
  const nonce = noted('nonce in clear')
  const good = noted(
    'id_token',
    await issuer.token(createHash('sha256').update(nonce).digest('hex')),
  )
  for (const id_token of [good, `${good}x`, noted('no token'), noted('parts', `a.${canary()}.c`)]) {
    const access_token = noted('provider access token')
    await request(server, '/token?grant_type=id_token', {
      body: { provider: 'acme', id_token, access_token, nonce },
    })
  }
  expect(await leaksOf(server, kept.written(), secrets)).toEqual([])
})

it('the server logs no captcha token after any answer of the captcha provider', async () => {
  server.context.config.auth = {
    ...server.context.config.auth,
    captcha: {
      provider: 'turnstile',
      siteKey: 'site-1',
      secret: secrets['captcha'] ?? '',
      verifyUrl: captcha.url,
    },
  }
  const answers: ((form: string) => [number, string])[] = [
    () => [200, '{"success": true}'],
    () => [200, '{"success": false, "error-codes": ["invalid-input-response"]}'],
    () => [500, 'broken'],
    // Broken ones that repeat the request.
    (form) => [200, form],
    (form) => [200, JSON.stringify({ success: form })],
  ]
  for (verdict of answers) {
    const meta = { gotrue_meta_security: { captcha_token: noted('captcha token') } }
    const password = noted('password')
    await request(server, '/token?grant_type=password', {
      body: { email: newEmail(), password, ...meta },
    })
  }
  expect(kept.written()).toContain('the captcha provider did not answer')
  expect(await leaksOf(server, kept.written(), secrets)).toEqual([])
})

it('the check would find each of them (control)', async () => {
  expect(Object.keys(secrets).length).toBeGreaterThan(40)
  await expectToFind(server, kept, { provider: secrets['provider'] ?? '', planted: canary() })
})
