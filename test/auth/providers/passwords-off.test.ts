import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import {
  newEmail,
  type OfficialClient,
  officialAdmin,
  officialClient,
  request,
} from '../requests.ts'
import { type Browser, makeBrowser } from '../stand-ins/browser.ts'
import { type Google, startGoogle } from '../stand-ins/google.ts'
import { authSettings } from '../stand-ins/settings.ts'

const app = 'https://app.example/signed-in'
const password = 'correct horse 42'
const disabled = [400, 'email_provider_disabled']
let google: Google
let server: TestServer
let browser: Browser
beforeAll(async () => {
  google = await startGoogle()
  server = await startTestServer({
    auth: authSettings({
      AUTH_PASSWORDS: 'off',
      AUTH_PROVIDER_GOOGLE_ISSUER: google.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: google.clientId,
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: google.clientSecret,
      AUTH_PROVIDER_GOOGLE_AUTO: 'on',
      AUTH_REDIRECT_URLS: app,
    }),
  })
  await google.register(`${server.url}/auth/v1/callback`)
})
afterAll(async () => {
  await server.close()
  await google.close()
})
let serial = 0
beforeEach(() => {
  browser = makeBrowser()
  const sub = `google-${++serial}`
  google.person = { sub, email: `${sub}@gmail.test`, email_verified: true, name: `Person ${sub}` }
})

/** Runs the work while the server has passwords, as before the operator switched them off. */
async function withPasswords<T>(work: () => Promise<T>): Promise<T> {
  const { auth } = server.context.config
  auth.passwords = true
  try {
    return await work()
  } finally {
    auth.passwords = false
  }
}

const newClient = () =>
  officialClient(server, {
    flowType: 'pkce',
    fetch: (input, init) => browser.open(new Request(input).url, init),
  })

/** Signs the person of the moment in at the provider, with the official client. */
async function enter(client = newClient()) {
  const { data } = await client.signInWithOAuth({
    provider: 'google',
    options: { redirectTo: app, skipBrowserRedirect: true },
  })
  const back = await browser.travel(data.url ?? '', ({ href }) => href.startsWith(app))
  const code = back.searchParams.get('code') ?? ''
  return { client, exchanged: await client.exchangeCodeForSession(code) }
}

/** A client that signed in with a password before, and its person. */
async function signedInBefore() {
  const client = officialClient(server)
  const user = await withPasswords(async () => {
    const { id, email, password } = await makeUser(server)
    expect((await client.signInWithPassword({ email, password })).error).toBeNull()
    return { id, email, password }
  })
  return { client, user }
}

type Refused = { error: { status?: unknown; code?: unknown } | null }
const refusal = ({ error }: Refused) => error && [error.status, error.code]

/** Calls that end in a password, or in a link or code of an email. */
const calls: Record<string, (client: OfficialClient, email: string) => Promise<Refused>> = {
  signUp: (client) => client.signUp({ email: newEmail(), password }),
  signInWithPassword: (client, email) => client.signInWithPassword({ email, password }),
  signInWithOtp: (client, email) => client.signInWithOtp({ email }),
  resetPasswordForEmail: (client, email) => client.resetPasswordForEmail(email),
  'resend (signup)': (client, email) => client.resend({ type: 'signup', email }),
  'resend (email_change)': (client, email) => client.resend({ type: 'email_change', email }),
  'verifyOtp (code)': (client, email) =>
    client.verifyOtp({ type: 'email', email, token: '123456' }),
  'verifyOtp (token_hash)': (client) => client.verifyOtp({ type: 'recovery', token_hash: 'any' }),
  reauthenticate: (client) => client.reauthenticate(),
  'updateUser (password)': (client) => client.updateUser({ password: 'a better horse 43' }),
  'updateUser (email)': (client) => client.updateUser({ email: newEmail() }),
  'admin.inviteUserByEmail': () => officialAdmin(server).inviteUserByEmail(newEmail()),
  'admin.generateLink': (_, email) =>
    officialAdmin(server).generateLink({ type: 'magiclink', email }),
}

it.each(Object.entries(calls))('without passwords the auth door refuses %s', async (_, call) => {
  const { client, user } = await signedInBefore()
  expect(refusal(await call(client, user.email))).toEqual(disabled)
  // With passwords it answers something else, mostly no error at all.
  const allowed = await withPasswords(() => call(client, user.email))
  expect(refusal(allowed)).not.toEqual(disabled)
})

it('the refusal of a sign-up has the words of the protocol', async () => {
  const answer = await request(server, '/signup', { body: { email: newEmail(), password } })
  expect(answer.body).toEqual({
    code: 'email_provider_disabled',
    message: 'Email signups are disabled',
  })
})

it('the settings say that there is no email sign-in, and where to go', async () => {
  const { body } = await request(server, '/settings')
  expect(body).toMatchObject({ external: { email: false, google: true }, auto_provider: 'google' })
})

it('a session from before goes on, and its account is linked at the first sign-in', async () => {
  const { client, user } = await signedInBefore()
  expect((await client.refreshSession()).error).toBeNull()
  expect((await client.updateUser({ data: { theme: 'dark' } })).error).toBeNull()

  await server.sql('update auth.users set email_proven_at = now() where id = $1', [user.id])
  google.person = { ...google.person, email: user.email }
  const { exchanged, client: provided } = await enter()
  expect(exchanged.data.user?.id).toBe(user.id)
  const { data } = await provided.getUserIdentities()
  expect(data?.identities.map(({ provider }) => provider)).toEqual(['email', 'google'])
  expect((await client.getUser()).error).toBeNull()
  const denied = await client.signInWithPassword({ email: user.email, password: user.password })
  expect(refusal(denied)).toEqual(disabled)
})

it('the last provider of an account cannot be unlinked, its password can', async () => {
  const { user } = await signedInBefore()
  await server.sql('update auth.users set email_proven_at = now() where id = $1', [user.id])
  google.person = { ...google.person, email: user.email }
  const { client } = await enter()
  const identities = (await client.getUserIdentities()).data?.identities ?? []
  const unlink = (name: string) => {
    const identity = identities.find(({ provider }) => provider === name)
    if (!identity) throw new Error(`no identity ${name}`)
    return client.unlinkIdentity(identity)
  }
  expect(refusal(await unlink('google'))).toEqual([422, 'single_identity_not_deletable'])
  expect((await unlink('email')).error).toBeNull()
  expect((await client.getUser()).data.user?.email).toBe(user.email)
})

it('a deletion takes a new sign-in at the provider as proof, and no password', async () => {
  const { client } = await enter()
  const { data } = await client.getSession()
  const token = data.session?.access_token ?? ''
  const id = data.session?.user.id
  await server.sql(
    `update auth.sessions set created_at = now() - interval '1 hour' where user_id = $1`,
    [id],
  )
  const erase = (token: string, body?: object) =>
    request(server, '/user', { method: 'DELETE', token, ...(body && { body }) })
  expect((await erase(token, { password })).body['code']).toBe('email_provider_disabled')
  expect((await erase(token)).body['code']).toBe('reauthentication_needed')
  const again = await enter()
  expect((await erase(again.exchanged.data.session?.access_token ?? '')).status).toBe(204)
})

it('a link of an email from before opens a page that says why it does not work', async () => {
  const { user } = await signedInBefore()
  const { data } = await withPasswords(() =>
    officialAdmin(server).generateLink({ type: 'recovery', email: user.email }),
  )
  const link = data.properties?.action_link ?? ''
  expect((await withPasswords(() => fetch(link))).status).toBe(200)
  const page = await fetch(link)
  expect([page.status, await page.text()]).toEqual([
    400,
    expect.stringContaining('Email logins are disabled') as string,
  ])
})

describe('a provider that is down', () => {
  const authorize = `/authorize?provider=google&redirect_to=${app}`
  beforeEach(async () => {
    // Its metadata are known from here on.
    expect((await request(server, `${authorize}&skip_http_redirect=true`)).status).toBe(200)
  })
  afterEach(() => {
    google.isDown = false
  })

  it('leads nowhere: the app gets an error with a sentence, and sessions go on', async () => {
    const { client } = await enter()
    google.isDown = true
    const back = await browser.open(`${server.url}/auth/v1${authorize}`)
    const to = new URL(back.headers.get('location') ?? '')
    expect([to.origin + to.pathname, to.searchParams.get('error')]).toEqual([
      app,
      'temporarily_unavailable',
    ])
    expect(to.searchParams.get('error_description')).toMatch(/does not answer right now/)
    expect((await client.refreshSession()).error).toBeNull()
    // With passwords there is another way in, so the browser goes by the known metadata.
    const gone = await withPasswords(() => browser.open(`${server.url}/auth/v1${authorize}`))
    expect(gone.headers.get('location')).toMatch(new RegExp(`^${google.url}/`))
  })

  it('gives an error with a sentence to a person who comes back from it', async () => {
    const leaving = `${server.url}/auth/v1${authorize}`
    const arrived = await browser.travel(leaving, ({ pathname }) => pathname.endsWith('/callback'))
    google.isDown = true
    const back = await browser.open(arrived.href)
    const to = new URL(back.headers.get('location') ?? '')
    expect([to.origin + to.pathname, to.searchParams.get('error')]).toEqual([
      app,
      'temporarily_unavailable',
    ])
    google.isDown = false
    expect((await enter()).exchanged.error).toBeNull()
  })
})

it('a second factor is still asked for', async () => {
  const { client, exchanged } = await enter()
  await server.sql(
    `insert into auth.factors (user_id, factor_type, status) values ($1, 'totp', 'verified')`,
    [exchanged.data.user?.id],
  )
  const { data } = await client.mfa.getAuthenticatorAssuranceLevel()
  expect(data).toMatchObject({ currentLevel: 'aal1' })
  const answer = await request(server, '/user/sessions', {
    token: exchanged.data.session?.access_token ?? '',
  })
  expect(answer.body['code']).toBe('insufficient_aal')
})

it('the operator makes accounts for people to come', async () => {
  const email = newEmail()
  const { data } = await officialAdmin(server).createUser({ email })
  google.person = { ...google.person, email }
  expect((await enter()).exchanged.data.user?.id).toBe(data.user?.id)
})
