import { randomUUID } from 'node:crypto'
import { generateKeyPair } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { newEmail, refresh, request, signIn } from '../requests.ts'
import { makeBrowser } from '../stand-ins/browser.ts'
import { type Issuer, startIssuer } from '../stand-ins/issuer.ts'
import { authSettings } from '../stand-ins/settings.ts'

const app = 'https://app.example/signed-in'
let issuer: Issuer
let other: Issuer
let server: TestServer
beforeAll(async () => {
  ;[issuer, other] = [await startIssuer(), await startIssuer()]
  server = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_ACME_ISSUER: issuer.url,
      AUTH_PROVIDER_ACME_CLIENT_ID: issuer.clientId,
      AUTH_PROVIDER_ACME_CLIENT_SECRET: 'secret',
      AUTH_PROVIDER_OTHER_ISSUER: other.url,
      AUTH_PROVIDER_OTHER_CLIENT_ID: other.clientId,
      AUTH_PROVIDER_OTHER_CLIENT_SECRET: 'secret',
      AUTH_REDIRECT_URLS: app,
    }),
  })
})
afterAll(async () => {
  await server.close()
  await issuer.close()
  await other.close()
})
let serial = 0
beforeEach(() => {
  issuer.person = { sub: `acme-${++serial}`, email: newEmail(), email_verified: true }
  Object.assign(issuer, { lies: {}, isIll: false, userInfo: undefined })
})

/** Signs in at a provider and comes back as the person that it names. @returns the fragment's parameters */
async function enter(at: Issuer = issuer, provider = 'acme'): Promise<Record<string, string>> {
  const browser = makeBrowser()
  const leave = await browser.open(
    `${server.url}/auth/v1/authorize?provider=${provider}&redirect_to=${app}`,
  )
  const away = new URL(leave.headers.get('location') ?? '')
  at.nonce = away.searchParams.get('nonce') ?? ''
  const state = away.searchParams.get('state') ?? ''
  const back = await browser.open(`${server.url}/auth/v1/callback?code=c&state=${state}`)
  expect(back.status).toBe(302)
  return Object.fromEntries(
    new URLSearchParams(new URL(back.headers.get('location') ?? '').hash.slice(1)),
  )
}

async function whoIs(facts: Record<string, string>) {
  const { status, body } = await request(server, '/user', { token: facts['access_token'] ?? '' })
  expect(status).toBe(200)
  return body
}

const refused = async () => {
  const { error, error_code, access_token } = await enter()
  return [error, error_code, access_token]
}
const unverified = ['server_error', 'unexpected_failure', undefined]

it('the server sends PKCE, nonce and state, and names the client as the provider wants it', async () => {
  const leave = await fetch(
    `${server.url}/auth/v1/authorize?provider=acme&scopes=calendar%20email&prompt=login&client_id=x&redirect_uri=https://evil.example&state=mine`,
    { redirect: 'manual' },
  )
  const query = Object.fromEntries(new URL(leave.headers.get('location') ?? '').searchParams)
  expect(query).toMatchObject({
    client_id: 'hoplet',
    redirect_uri: `${server.url}/auth/v1/callback`,
    scope: 'openid email profile calendar',
    prompt: 'login',
    code_challenge_method: 'S256',
  })
  expect(query['state']).not.toBe('mine')
  await enter()
  const verifier = issuer.exchanges.at(-1)?.get('code_verifier') ?? ''
  expect(verifier).toMatch(/^[\w-]{43}$/)
})

it('the server lets an honest provider’s person in (control)', async () => {
  expect((await whoIs(await enter()))['email']).toBe(issuer.person['email'])
})

const past = Math.floor(Date.now() / 1000) - 3_600
it.each([
  ['audience', { claims: { aud: 'another app' } }],
  ['issuer', { claims: { iss: 'https://evil.example' } }],
  ['nonce', { claims: { nonce: 'replayed' } }],
  ['time, yet to come', { claims: { iat: past + 7_200 } }],
  ['expiry', { claims: { iat: past - 300, exp: past } }],
  ['authorized party', { claims: { aud: ['hoplet', 'another app'], azp: 'another app' } }],
  ['algorithm none', { alg: 'none' }],
  ['key of its own', { key: new Uint8Array(32), alg: 'HS256' }],
])('the server refuses an id_token with a wrong %s', async (_, lies) => {
  issuer.lies = lies
  expect(await refused()).toEqual(unverified)
})

it('the server refuses an id_token that another issuer signed, or that has no subject', async () => {
  issuer.lies = { key: (await generateKeyPair('RS256')).privateKey }
  expect(await refused()).toEqual(unverified)
  issuer.lies = { claims: { sub: '' } }
  expect(await refused()).toEqual(unverified)
})

it('the server says so when the provider is down, before and after the redirect, without a 5xx', async () => {
  issuer.isIll = true
  // Known already: people are sent there, and it fails on the way back.
  expect(await refused()).toEqual(['temporarily_unavailable', 'unexpected_failure', undefined])
  await other.close()
  const leave = await fetch(`${server.url}/auth/v1/authorize?provider=other&redirect_to=${app}`, {
    redirect: 'manual',
  })
  const end = new URL(leave.headers.get('location') ?? '')
  expect([leave.status, `${end.origin}${end.pathname}`]).toEqual([302, app])
  expect(end.searchParams.get('error_description')).toBe(
    'Other does not answer right now. Please try again later.',
  )
  const asked = await request(server, '/authorize?provider=other&skip_http_redirect=true')
  expect([asked.status, asked.body['code']]).toEqual([422, 'unexpected_failure'])
})

it('the server asks for the address where the token does not say it', async () => {
  const { email } = issuer.person
  issuer.person = { sub: `quiet-${serial}` }
  issuer.userInfo = { email, email_verified: true }
  expect((await whoIs(await enter()))['email']).toBe(email)
})

it.each([false, undefined, 'false', 1, null])(
  'the server never links by an address that the provider does not vouch for: email_verified %j',
  async (email_verified) => {
    const victim = await makeUser(server)
    await server.sql('update auth.users set email_proven_at = now() where id = $1', [victim.id])
    issuer.person = { sub: `liar-${serial}`, email: victim.email, email_verified }
    const account = await whoIs(await enter())
    expect(account['id']).not.toBe(victim.id)
    expect(account['email']).toBe('')
    expect((await signIn(server, victim.email, victim.password)).status).toBe(200)
    // An address without an account is not kept for its owner either.
    const email = newEmail()
    issuer.person = { sub: `early-${serial}`, email, email_verified }
    expect((await whoIs(await enter()))['email']).toBe('')
    expect((await makeUser(server, { email })).email).toBe(email)
  },
)

it('links by an address that both sides have proven, and keeps the account’s data', async () => {
  const user = await makeUser(server, { email: String(issuer.person['email']) })
  await server.sql('update auth.users set email_proven_at = now() where id = $1', [user.id])
  const account = await whoIs(await enter())
  expect(account).toMatchObject({ id: user.id, app_metadata: { providers: ['email', 'acme'] } })
  expect((await signIn(server, user.email, user.password)).status).toBe(200)
})

it('the server does not confuse people of two issuers who have the same subject', async () => {
  const before = await whoIs(await enter())
  await server.sql(
    `update auth.identities set identity_data = identity_data || '{"iss": "https://old.example"}' where user_id = $1`,
    [before['id']],
  )
  expect(await refused()).toEqual(['invalid_request', 'unexpected_failure', undefined])
})

it('the server refuses a banned person, and a new person where sign-up is closed', async () => {
  const { id } = await whoIs(await enter())
  await server.sql(`update auth.users set banned_until = 'infinity' where id = $1`, [id])
  expect(await refused()).toEqual(['access_denied', 'user_banned', undefined])
  issuer.person = { sub: `late-${serial}`, email: newEmail(), email_verified: true }
  server.context.config.auth.signUp = false
  expect(await refused()).toEqual(['access_denied', 'signup_disabled', undefined])
  server.context.config.auth.signUp = true
})

it('the server stores no more of a provider’s claims than it needs', async () => {
  Object.assign(issuer.person, {
    name: `A\0${'x'.repeat(300)}`,
    picture: 'javascript:alert(1)',
    role: 'admin',
    app_metadata: { role: 'admin' },
    plan_type: 'business',
    referral_code: 'FRIEND01',
    huge: 'y'.repeat(20_000),
  })
  const account = await whoIs(await enter())
  const text = JSON.stringify(account)
  expect(text).not.toMatch(/business|FRIEND01|javascript|yyy|\\u0000/)
  expect(account).toMatchObject({ user_metadata: { full_name: `A${'x'.repeat(98)}` } })
  expect(
    await server.sql('select role from app.user_roles where user_id = $1', [account['id']]),
  ).toEqual([{ role: 'user' }])
})

/** An attacker makes an account with the victim's address first, and adds one more way in. */
const preparations: [string, (email: string) => Promise<() => Promise<boolean>>][] = [
  [
    'a password (classic-federated merge)',
    async (email) => {
      const { password } = await makeUser(server, { email })
      return async () => (await signIn(server, email, password)).status === 200
    },
  ],
  [
    'a session (unexpired session)',
    async (email) => {
      const attacker = await makeUser(server, { email })
      return async () => {
        const used = await request(server, '/user', { token: attacker.accessToken })
        return used.status === 200 || (await refresh(server, attacker.refreshToken)).status === 200
      }
    },
  ],
  [
    'a linked sign-in (trojan identifier)',
    async (email) => {
      const attacker = await makeUser(server, { email })
      const own = { sub: `attacker-${randomUUID()}`, email: newEmail(), email_verified: true }
      await linkTo(attacker.accessToken, own)
      return async () => {
        issuer.person = own
        return (await whoIs(await enter()))['id'] === attacker.id
      }
    },
  ],
  [
    'a pending code of such a sign-in',
    async (email) => {
      const attacker = await makeUser(server, { email })
      const own = { sub: `attacker-${randomUUID()}`, email: newEmail(), email_verified: true }
      await linkTo(attacker.accessToken, own)
      const code = await pendingCode(own)
      return async () => {
        const { status } = await request(server, '/token?grant_type=pkce', {
          body: { auth_code: code, code_verifier: 'v'.repeat(43) },
        })
        return status === 200
      }
    },
  ],
  [
    'a provider that vouches for nothing (non-verifying provider)',
    async (email) => {
      const own = { sub: `attacker-${randomUUID()}`, email, email_verified: false }
      issuer.person = own
      const mine = await whoIs(await enter())
      return async () => {
        const [victim] = await server.sql('select id from auth.users where email = $1', [email])
        return mine['id'] === victim?.['id']
      }
    },
  ],
]

async function linkTo(token: string, person: Issuer['person']): Promise<void> {
  const browser = makeBrowser()
  const asked = await browser.open(
    `${server.url}/auth/v1/user/identities/authorize?provider=acme&skip_http_redirect=true&redirect_to=${app}`,
    { headers: { authorization: `Bearer ${token}` } },
  )
  const away = new URL(((await asked.json()) as { url: string }).url)
  Object.assign(issuer, { person, nonce: away.searchParams.get('nonce') ?? '' })
  const state = away.searchParams.get('state') ?? ''
  const back = await browser.open(`${server.url}/auth/v1/callback?code=c&state=${state}`)
  expect(back.headers.get('location')).toContain('#access_token=')
}

async function pendingCode(person: Issuer['person']): Promise<string> {
  const browser = makeBrowser()
  const leave = await browser.open(
    `${server.url}/auth/v1/authorize?provider=acme&redirect_to=${app}&code_challenge=${'v'.repeat(43)}&code_challenge_method=plain`,
  )
  const away = new URL(leave.headers.get('location') ?? '')
  Object.assign(issuer, { person, nonce: away.searchParams.get('nonce') ?? '' })
  const state = away.searchParams.get('state') ?? ''
  const back = await browser.open(`${server.url}/auth/v1/callback?code=c&state=${state}`)
  return new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

it.each(preparations)(
  'the server leaves an attacker who was there first nothing, with %s',
  async (name, prepare) => {
    const email = newEmail()
    const hasAccess = await prepare(email)
    // The attack works until the owner comes; a provider that vouches for nothing gives nothing to wait for.
    if (!name.includes('nothing')) expect(await (await prepare(newEmail()))()).toBe(true)
    issuer.person = { sub: `victim-${serial}`, email, email_verified: true }
    const victim = await whoIs(await enter())
    expect(victim).toMatchObject({ email, app_metadata: { provider: 'acme', providers: ['acme'] } })
    expect(await hasAccess()).toBe(false)
    issuer.person = { sub: `victim-${serial}`, email, email_verified: true }
    expect((await whoIs(await enter()))['id']).toBe(victim['id'])
  },
)

it('the server deletes the attacker’s claims: data, name, referral', async () => {
  const email = newEmail()
  const affiliate = await makeUser(server)
  await server.sql(`insert into app.affiliate_codes (user_id, code) values ($1, 'HIJACK01')`, [
    affiliate.id,
  ])
  const attacker = await makeUser(server, {
    email,
    data: { display_name: 'Mallory', referral_code: 'HIJACK01', theme: 'x' },
  })
  const referrals = async () =>
    (
      await server.sql('select total_referrals from app.affiliate_codes where user_id = $1', [
        affiliate.id,
      ])
    )[0]
  expect(await referrals()).toEqual({ total_referrals: 1 })
  issuer.person = { sub: `victim-${serial}`, email, email_verified: true }
  const victim = await whoIs(await enter())
  expect([victim['id'], victim['user_metadata']]).toEqual([attacker.id, {}])
  expect(await referrals()).toEqual({ total_referrals: 0 })
  expect(
    await server.sql('select display_name from app.profiles where id = $1', [attacker.id]),
  ).toEqual([{ display_name: null }])
})
