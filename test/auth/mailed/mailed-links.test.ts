import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailbox.ts'
import { pkcePair } from '../oauth/oauth-app.ts'
import { newEmail, officialClient, request, signIn } from '../requests.ts'

let server: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  server = await startMailingServer({
    auth: { ...auth, autoconfirm: false, redirectUrls: ['https://app.example/after/*'] },
  })
})
afterAll(() => server.close())

const password = 'correct horse 42'
const wayTo = (path: string, to: string) => `${path}?redirect_to=${encodeURIComponent(to)}`

async function signedUp(redirectTo = `${server.url}/dashboard`) {
  const email = newEmail()
  const answer = await request(server, wayTo('/signup', redirectTo), { body: { email, password } })
  expect(answer.status).toBe(200)
  return { email, ...(await server.mailFor(email)) }
}

async function confirmed() {
  const { email, link } = await signedUp()
  expect((await pressLink(server, link)).status).toBe(303)
  return email
}

async function recoveryFor(email: string, redirectTo = `${server.url}/auth`) {
  await request(server, wayTo('/recover', redirectTo), { body: { email } })
  return server.mailFor(email)
}

const isConfirmed = async (email: string) =>
  (
    await server.sql('select 1 from auth.users where email = $1 and email_proven_at is not null', [
      email,
    ])
  ).length === 1

it('a mailed link opens a page that changes nothing, however often a scanner fetches it; the button acts once', async () => {
  const { email, link } = await signedUp()
  for (const method of ['GET', 'HEAD', 'GET']) {
    const page = await fetch(link, { method })
    expect(page.status).toBe(200)
    expect(page.headers.get('x-robots-tag')).toBe('noindex')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    expect(page.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*form-action 'self'/,
    )
    expect(await page.text()).not.toContain('<script')
  }
  expect(await isConfirmed(email)).toBe(false)
  const first = await pressLink(server, link)
  expect(first.status).toBe(303)
  expect(first.fragment.get('access_token')).toBeTruthy()
  expect(await isConfirmed(email)).toBe(true)
  const second = await pressLink(server, link)
  expect([second.status, second.location.hostname]).toEqual([403, 'none.invalid'])
  expect(second.html).toContain('This link has expired or was already used')
  expect((await fetch(link)).status).toBe(403)
})

it('a mailed link gives one session for 20 presses at once', async () => {
  const { link } = await signedUp()
  const presses = await Promise.all(Array.from({ length: 20 }, () => pressLink(server, link)))
  expect(presses.filter(({ status }) => status === 303)).toHaveLength(1)
})

it('a mailed link keeps only hashes of the secrets that it mails, and no trace of them once they are sent', async () => {
  const { email, link, code } = await signedUp()
  const secret = new URL(link).searchParams.get('token') ?? 'none'
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
  const stored = JSON.stringify([
    await server.sql('select * from auth.one_time_tokens where email = $1', [email]),
    await server.sql('select * from app.mail_outbox where recipient = $1', [email]),
  ])
  expect(stored).toContain(email)
  expect(stored).not.toContain(secret)
  expect(stored).not.toContain(`"${code}"`)
})

it('a mailed link marks links requested with PKCE, and finds them with their mark only', async () => {
  const email = await confirmed()
  const { challenge } = pkcePair()
  const tokens = []
  for (const more of [{}, { code_challenge: challenge, code_challenge_method: 's256' }]) {
    await request(server, '/recover', { body: { email, ...more } })
    const { link } = await server.mailFor(email)
    tokens.push(new URL(link).searchParams.get('token') ?? '')
    if (!('code_challenge' in more)) continue
    expect(link).toContain('token=pkce_')
    expect((await pressLink(server, link.replace('pkce_', ''))).status).toBe(403)
    const { status, query } = await pressLink(server, link)
    expect([status, query.has('code')]).toEqual([303, true])
  }
  expect(tokens.map((token) => token.startsWith('pkce_'))).toEqual([false, true])
})

it('a mailed link keeps links valid for an hour, invitations for a day, codes for a change for ten minutes', async () => {
  const email = await confirmed()
  const token = String((await signIn(server, email, password)).body['access_token'])
  const { email: fresh } = await signedUp()
  const invited = newEmail()
  await request(server, '/invite', { token: server.serviceRoleKey, body: { email: invited } })
  await recoveryFor(email)
  await request(server, '/otp', { body: { email } })
  await request(server, '/reauthenticate', { token })
  const lifetimes = await server.sql(
    `select kind, round(extract(epoch from expires_at - created_at) / 60)::int as minutes
      from auth.one_time_tokens where email = any ($1) order by kind`,
    [[email, fresh, invited]],
  )
  expect(lifetimes).toEqual([
    { kind: 'confirmation', minutes: 60 },
    { kind: 'invite', minutes: 1440 },
    { kind: 'magiclink', minutes: 60 },
    { kind: 'reauthentication', minutes: 10 },
    { kind: 'recovery', minutes: 60 },
  ])
  await server.mailsFor(email)
  // A code is good for ten minutes, its link for longer.
  const typed = async (minutes: number) => {
    const { code: sent, link: button } = await recoveryFor(email)
    await server.sql(
      `update auth.one_time_tokens set created_at = created_at - make_interval(mins => $2) where email = $1`,
      [email, minutes],
    )
    const body = { type: 'recovery', email, token: sent }
    return { status: (await request(server, '/verify', { body })).status, button }
  }
  expect((await typed(9)).status).toBe(200)
  const { status, button } = await typed(10)
  expect(status).toBe(403)
  expect((await pressLink(server, button)).status).toBe(303)
  const { link, code } = await recoveryFor(email)
  await server.sql(`update auth.one_time_tokens set expires_at = now() where email = $1`, [email])
  expect((await pressLink(server, link)).status).toBe(403)
  const late = await request(server, '/verify', { body: { type: 'recovery', email, token: code } })
  expect([late.status, late.body]).toEqual([
    403,
    { code: 'otp_expired', message: 'Token has expired or is invalid' },
  ])
})

it('a mailed link allows five wrong codes; then only the link works', async () => {
  const { email, code, link } = await signedUp()
  const tryCode = (token: string) =>
    request(server, '/verify', { body: { type: 'signup', email, token } })
  const wrong = code === '000000' ? '111111' : '000000'
  for (let i = 0; i < 5; i++) expect((await tryCode(wrong)).status).toBe(403)
  expect((await tryCode(code)).status).toBe(403)
  expect((await pressLink(server, link)).status).toBe(303)
})

it('still accepts the right code after four wrong ones', async () => {
  const { email, code } = await signedUp()
  const wrong = code === '000000' ? '111111' : '000000'
  for (let i = 0; i < 4; i++)
    await request(server, '/verify', { body: { type: 'signup', email, token: wrong } })
  const right = await request(server, '/verify', { body: { type: 'email', email, token: code } })
  expect([right.status, right.body.user?.['email']]).toEqual([200, email])
})

it('a mailed link accepts a code for its own address and purpose only', async () => {
  const { email, code } = await signedUp()
  const { email: other } = await signedUp()
  const elsewhere = await request(server, '/verify', {
    body: { type: 'signup', email: other, token: code },
  })
  const otherwise = await request(server, '/verify', {
    body: { type: 'recovery', email, token: code },
  })
  expect([elsewhere.status, otherwise.status]).toEqual([403, 403])
  expect(await isConfirmed(email)).toBe(false)
})

it.each([
  ['no type', { token_hash: 'x' }, 'validation_failed'],
  ['an unknown type', { type: 'constructor', token_hash: 'x' }, 'validation_failed'],
  ['nothing to verify', { type: 'signup' }, 'validation_failed'],
  ['a code without an address', { type: 'signup', token: '123456' }, 'validation_failed'],
  [
    'a token_hash with an address',
    { type: 'signup', token_hash: 'x', email: 'a@example.com' },
    'validation_failed',
  ],
  ['a phone number', { type: 'sms', phone: '+491234', token: '123456' }, 'phone_provider_disabled'],
  ['a NUL', { type: 'signup', email: 'a\0@example.com', token: '123456' }, 'otp_expired'],
  ['a secret that is none', { type: 'signup', token_hash: 'x' }, 'otp_expired'],
  ['a list', [], 'validation_failed'],
])('a mailed link refuses to verify %s', async (_, body, code) => {
  const answer = await request(server, '/verify', { body })
  expect(answer.body['code']).toBe(code)
  expect(answer.status).toBeLessThan(500)
})

it.each([
  ['/recover', {}, 400, 'validation_failed'],
  ['/recover', { email: 'nobody' }, 400, 'validation_failed'],
  ['/recover', { email: 'a@example.com\r\nBcc: b@example.com' }, 400, 'validation_failed'],
  ['/recover', { email: 'a@example.com', code_challenge: 'x' }, 400, 'validation_failed'],
  ['/otp', {}, 400, 'validation_failed'],
  ['/otp', { phone: '+491234' }, 422, 'phone_provider_disabled'],
  ['/magiclink', { email: 1 }, 400, 'validation_failed'],
  ['/resend', { email: 'a@example.com' }, 400, 'validation_failed'],
  ['/resend', { email: 'a@example.com', type: 'recovery' }, 400, 'validation_failed'],
  ['/resend', { phone: '+491234', type: 'sms' }, 422, 'phone_provider_disabled'],
])('%s refuses %j', async (path, body, status, code) => {
  const answer = await request(server, path, { body })
  expect([answer.status, answer.body['code']]).toEqual([status, code])
  expect(answer.headers.get('x-supabase-api-version')).toBe('2024-01-01')
})

it('/reauthenticate needs sign-in', async () => {
  const answer = await request(server, '/reauthenticate')
  expect([answer.status, answer.body['code']]).toEqual([401, 'no_authorization'])
})

it('a mailed link redirects to allowed addresses only, and its form may lead there', async () => {
  const allowed = await signedUp('https://app.example/after/mail')
  const page = await fetch(allowed.link)
  expect(page.headers.get('content-security-policy')).not.toContain('form-action')
  expect((await pressLink(server, allowed.link)).location.href).toMatch(
    /^https:\/\/app\.example\/after\/mail#access_token=/,
  )
  for (const trick of [
    'https://evil.example/',
    'https://app.example.evil/after/x',
    '//evil.example',
    'javascript:alert(1)',
  ]) {
    const { link } = await signedUp(trick)
    const url = new URL(link)
    url.searchParams.set('redirect_to', trick)
    const { location, status } = await pressLink(server, url.href)
    expect([status, location.origin]).toEqual([303, server.url])
  }
})

it('a mailed link does not let another site press the button', async () => {
  const { email, link } = await signedUp()
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
    const { status, html } = await pressLink(server, link, headers)
    expect([status, html.includes('Confirm email address')]).toEqual([200, true])
  }
  expect(await isConfirmed(email)).toBe(false)
})

it('a mailed link voids links that were on their way when the password was changed', async () => {
  const email = await confirmed()
  const { link } = await recoveryFor(email)
  const client = officialClient(server)
  await client.signInWithPassword({ email, password })
  expect((await client.updateUser({ password: 'a better one' })).error).toBeNull()
  expect((await pressLink(server, link)).status).toBe(403)
})

it('a mailed link refuses a banned person', async () => {
  const email = await confirmed()
  await server.sql(
    `update auth.users set banned_until = now() + interval '1 day' where email = $1`,
    [email],
  )
  const { link } = await recoveryFor(email)
  const { status, html } = await pressLink(server, link)
  expect([status, html.includes('User is banned')]).toEqual([403, true])
})

it('a mailed link does not move an address to an account when another account took it meanwhile', async () => {
  const email = await confirmed()
  const wanted = newEmail()
  const client = officialClient(server)
  await client.signInWithPassword({ email, password })
  await client.updateUser({ email: wanted })
  const [old, fresh] = [await server.mailFor(email), await server.mailFor(wanted)]
  await request(server, '/signup', { body: { email: wanted, password } })
  expect((await pressLink(server, old.link)).fragment.get('message')).toContain('accepted')
  expect((await pressLink(server, fresh.link)).status).toBe(422)
  expect((await client.getUser()).data.user?.email).toBe(email)
})
