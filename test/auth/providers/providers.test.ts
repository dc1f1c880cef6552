import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { officialClient, refresh, request, signIn } from '../requests.ts'
import { type Browser, makeBrowser } from '../stand-ins/browser.ts'
import { type Google, startGoogle } from '../stand-ins/google.ts'
import { authSettings } from '../stand-ins/settings.ts'

const app = 'https://app.example/signed-in'
let google: Google
let server: TestServer
let browser: Browser
beforeAll(async () => {
  google = await startGoogle()
  server = await startTestServer({
    auth: authSettings({
      AUTH_PROVIDER_GOOGLE_ISSUER: google.url,
      AUTH_PROVIDER_GOOGLE_CLIENT_ID: google.clientId,
      AUTH_PROVIDER_GOOGLE_CLIENT_SECRET: google.clientSecret,
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

const backAtApp = (url: URL) => url.href.startsWith(app)
const clientIn = (flowType: 'pkce' | 'implicit') =>
  officialClient(server, {
    flowType,
    fetch: (input, init) => browser.open(new Request(input).url, init),
  })

/** Signs the person of the moment in with the official client. */
async function enter(client = clientIn('pkce')) {
  const { data } = await client.signInWithOAuth({
    provider: 'google',
    options: { redirectTo: app, skipBrowserRedirect: true },
  })
  const back = await browser.travel(data.url ?? '', backAtApp)
  const code = back.searchParams.get('code') ?? ''
  return { client, code, back, exchanged: await client.exchangeCodeForSession(code) }
}

it('the server signs a new person in: code, session, account (signInWithOAuth, exchangeCodeForSession)', async () => {
  const { back, exchanged, client } = await enter()
  expect(back.hash).toBe('')
  expect(exchanged.error).toBeNull()
  expect(exchanged.data.user).toMatchObject({
    email: google.person.email,
    app_metadata: { provider: 'google', providers: ['google'] },
    user_metadata: { full_name: google.person.name },
  })
  const id = exchanged.data.user?.id ?? ''
  expect(
    await server.sql('select email, display_name from app.profiles where id = $1', [id]),
  ).toEqual([{ email: google.person.email, display_name: google.person.name }])
  const { data } = await client.getUserIdentities()
  expect(data?.identities).toMatchObject([
    { provider: 'google', id: google.person.sub, identity_data: { iss: google.url } },
  ])
  const { data: claims } = await client.getClaims()
  expect(claims?.claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'oauth' }] })
})

it('the server knows the same person the second time, at any address', async () => {
  const first = await enter()
  google.person = { ...google.person, email: 'moved@gmail.test' }
  const second = await enter()
  expect(second.exchanged.data.user?.id).toBe(first.exchanged.data.user?.id)
  expect(second.exchanged.data.user?.email).toBe(`${google.person.sub}@gmail.test`)
})

it('the server refuses the second use of a code, and ends the session of the first', async () => {
  const { client, code, exchanged } = await enter()
  expect((await client.getUser()).error).toBeNull()
  const again = await request(server, '/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: 'v'.repeat(43) },
  })
  expect([again.status, again.body['code']]).toEqual([404, 'flow_state_not_found'])
  expect((await client.getUser()).error?.name).toBe('AuthSessionMissingError')
  expect((await refresh(server, exchanged.data.session?.refresh_token)).status).toBe(400)
})

it.each([
  ['another verifier', { code_verifier: 'w'.repeat(43) }, 400, 'bad_code_verifier'],
  ['no verifier', { code_verifier: '' }, 400, 'validation_failed'],
  ['an unknown code', { auth_code: 'x'.repeat(43) }, 404, 'flow_state_not_found'],
])(
  'the server refuses a code with %s, and the code stays good for its client',
  async (_, wrong, status, code) => {
    const client = clientIn('pkce')
    const { data } = await client.signInWithOAuth({
      provider: 'google',
      options: { redirectTo: app, skipBrowserRedirect: true },
    })
    const back = await browser.travel(data.url ?? '', backAtApp)
    const authCode = back.searchParams.get('code') ?? ''
    const answer = await request(server, '/token?grant_type=pkce', {
      body: { auth_code: authCode, code_verifier: 'v'.repeat(43), ...wrong },
    })
    expect([answer.status, answer.body['code']]).toEqual([status, code])
    expect((await client.exchangeCodeForSession(authCode)).error).toBeNull()
  },
)

it('the server refuses a code that is too old', async () => {
  const client = clientIn('pkce')
  const { data } = await client.signInWithOAuth({
    provider: 'google',
    options: { redirectTo: app, skipBrowserRedirect: true },
  })
  const back = await browser.travel(data.url ?? '', backAtApp)
  await server.sql('update auth.flow_states set expires_at = now()')
  const { error } = await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
  expect([error?.status, error?.code]).toEqual([422, 'flow_state_expired'])
})

it('links another sign-in and removes it again (linkIdentity, unlinkIdentity)', async () => {
  const user = await makeUser(server)
  const elsewhere = await signIn(server, user.email, user.password)
  const client = clientIn('pkce')
  await client.signInWithPassword({ email: user.email, password: user.password })
  const { data, error } = await client.linkIdentity({
    provider: 'google',
    options: { redirectTo: app },
  })
  expect(error).toBeNull()
  const back = await browser.travel(data.url ?? '', backAtApp)
  const exchanged = await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
  expect(exchanged.data.user).toMatchObject({
    id: user.id,
    email: user.email,
    app_metadata: { provider: 'email', providers: ['email', 'google'] },
  })
  const signedIn = await enter()
  expect(signedIn.exchanged.data.user?.id).toBe(user.id)

  const { data: listed } = await client.getUserIdentities()
  const identity = listed?.identities.find(({ provider }) => provider === 'google')
  if (!identity) throw new Error('not linked')
  expect((await client.unlinkIdentity(identity)).error).toBeNull()
  expect((await client.getUser()).data.user).toMatchObject({
    email: user.email,
    app_metadata: { providers: ['email'] },
  })
  // Who came in that way is out.
  expect((await signedIn.client.getUser()).error).not.toBeNull()
  expect((await refresh(server, elsewhere.body['refresh_token'])).status).toBe(400)
  const last = (await client.getUserIdentities()).data?.identities[0]
  if (!last) throw new Error('no identity left')
  const { error: refused } = await client.unlinkIdentity(last)
  expect([refused?.status, refused?.code]).toEqual([422, 'single_identity_not_deletable'])
})

it('the server removes the password with the email identity, and the address follows', async () => {
  const user = await makeUser(server)
  const client = clientIn('pkce')
  await client.signInWithPassword({ email: user.email, password: user.password })
  const { data } = await client.linkIdentity({ provider: 'google', options: { redirectTo: app } })
  const back = await browser.travel(data.url ?? '', backAtApp)
  await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
  const identity = (await client.getUserIdentities()).data?.identities[0]
  if (identity?.provider !== 'email') throw new Error('not the e-mail identity')
  expect((await client.unlinkIdentity(identity)).error).toBeNull()
  expect((await client.getUser()).data.user?.email).toBe(google.person.email)
  expect((await signIn(server, user.email, user.password)).status).toBe(400)
  expect((await signIn(server, google.person.email, user.password)).status).toBe(400)
  expect((await enter()).exchanged.data.user?.id).toBe(user.id)
})

it('the server unlinks nothing when the remaining address belongs to another account', async () => {
  const user = await makeUser(server)
  const client = clientIn('pkce')
  await client.signInWithPassword({ email: user.email, password: user.password })
  const { data } = await client.linkIdentity({ provider: 'google', options: { redirectTo: app } })
  const back = await browser.travel(data.url ?? '', backAtApp)
  await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
  await makeUser(server, { email: google.person.email })
  const identity = (await client.getUserIdentities()).data?.identities[0]
  if (identity?.provider !== 'email') throw new Error('not the e-mail identity')
  const { error } = await client.unlinkIdentity(identity)
  expect([error?.status, error?.code]).toEqual([422, 'email_conflict_identity_not_deletable'])
  expect((await signIn(server, user.email, user.password)).status).toBe(200)
})

it('links nothing for a session that has ended meanwhile', async () => {
  const user = await makeUser(server)
  const client = clientIn('pkce')
  await client.signInWithPassword({ email: user.email, password: user.password })
  const { data } = await client.linkIdentity({ provider: 'google', options: { redirectTo: app } })
  await client.signOut()
  const back = await browser.travel(data.url ?? '', backAtApp)
  expect(back.searchParams.get('error_code')).toBe('session_not_found')
  expect(
    await server.sql('select provider from auth.identities where user_id = $1', [user.id]),
  ).toEqual([{ provider: 'email' }])
})

it('links no sign-in that an account has already', async () => {
  await enter()
  const user = await makeUser(server)
  const client = clientIn('pkce')
  await client.signInWithPassword({ email: user.email, password: user.password })
  const { data } = await client.linkIdentity({ provider: 'google', options: { redirectTo: app } })
  const back = await browser.travel(data.url ?? '', backAtApp)
  expect(back.searchParams.get('error_code')).toBe('identity_already_exists')
  expect((await client.getUserIdentities()).data?.identities).toHaveLength(1)
})

it('links and unlinks with the second factor only, if the account has one', async () => {
  const user = await makeUser(server)
  await server.sql(
    `insert into auth.factors (user_id, factor_type, status) values ($1, 'totp', 'verified')`,
    [user.id],
  )
  const [row] = await server.sql('select id from auth.identities where user_id = $1', [user.id])
  for (const [method, path] of [
    ['GET', '/user/identities/authorize?provider=google'],
    ['DELETE', `/user/identities/${String(row?.['id'])}`],
  ] as const) {
    const answer = await request(server, path, { method, token: user.accessToken })
    expect(answer.body['code']).toBe('insufficient_aal')
  }
})

it('links nothing where that is switched off', async () => {
  const user = await makeUser(server)
  server.context.config.auth.manualLinking = false
  const answer = await request(server, '/user/identities/authorize?provider=google', {
    token: user.accessToken,
  })
  server.context.config.auth.manualLinking = true
  expect([answer.status, answer.body['code']]).toEqual([404, 'manual_linking_disabled'])
})

it('the server needs sign-in to link and unlink, and unlinks for the owner only', async () => {
  for (const [method, path] of [
    ['GET', '/user/identities/authorize?provider=google'],
    ['DELETE', '/user/identities/6a1f0c52-9d0e-4d5f-8a55-0a5f4f0d2f11'],
  ] as const) {
    const bare = await request(server, path, { method })
    expect([bare.status, bare.body['code']]).toEqual([401, 'no_authorization'])
  }
  const [owner, stranger] = [await makeUser(server), await makeUser(server)]
  const [row] = await server.sql('select id from auth.identities where user_id = $1', [owner.id])
  for (const id of [String(row?.['id']), 'nothing']) {
    const answer = await request(server, `/user/identities/${id}`, {
      method: 'DELETE',
      token: stranger.accessToken,
    })
    expect([answer.status, answer.body['code']]).toEqual([422, 'identity_not_found'])
  }
})

it('the server gives no session to a browser that did not start the sign-in, or has already finished it', async () => {
  const client = clientIn('pkce')
  const { data } = await client.signInWithOAuth({
    provider: 'google',
    options: { redirectTo: app, skipBrowserRedirect: true },
  })
  const callback = await browser.travel(data.url ?? '', ({ pathname }) =>
    pathname.endsWith('/callback'),
  )
  const [fresh, stranger] = [makeBrowser(), makeBrowser()]
  // The stranger has a mark too, of another sign-in.
  await stranger.open(`${server.url}/auth/v1/authorize?provider=google`)
  for (const foreign of [fresh, stranger]) {
    const answer = await foreign.open(callback.href)
    const lost = new URL(answer.headers.get('location') ?? '')
    expect([lost.origin, lost.pathname]).toEqual([server.url, '/auth'])
    expect(lost.searchParams.get('error_code')).toBe('bad_oauth_state')
  }
  // Neither has used it up.
  const back = new URL((await browser.open(callback.href)).headers.get('location') ?? '')
  expect(back.searchParams.get('code')).toBeTruthy()
  const again = new URL((await browser.open(callback.href)).headers.get('location') ?? '')
  expect(again.searchParams.get('error_code')).toBe('bad_oauth_state')
})

it('the server accepts the answer of a provider that posts it', async () => {
  const client = clientIn('pkce')
  const { data } = await client.signInWithOAuth({
    provider: 'google',
    options: { redirectTo: app, skipBrowserRedirect: true },
  })
  const callback = await browser.travel(data.url ?? '', ({ pathname }) =>
    pathname.endsWith('/callback'),
  )
  const posted = await makeBrowser().open(`${callback.origin}${callback.pathname}`, {
    method: 'POST',
    body: callback.searchParams,
  })
  expect(posted.status).toBe(303)
  const back = await browser.travel(posted.headers.get('location') ?? '', backAtApp)
  expect(
    (await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')).error,
  ).toBeNull()
})

it('the server makes one account when a person signs in twice at once', async () => {
  const arrivals = await Promise.all(
    [0, 1, 2].map(async () => {
      const own = makeBrowser()
      const client = officialClient(server, { flowType: 'pkce' })
      const { data } = await client.signInWithOAuth({
        provider: 'google',
        options: { redirectTo: app, skipBrowserRedirect: true },
      })
      const back = await own.travel(data.url ?? '', backAtApp)
      return client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
    }),
  )
  const ids = new Set(arrivals.map(({ data }) => data.user?.id))
  expect([ids.size, ids.has(undefined)]).toEqual([1, false])
})

it('the server lists the providers, and answers for unknown ones', async () => {
  const { body } = await request(server, '/settings')
  expect(body).toMatchObject({
    external: { google: true, github: false, email: true },
    providers: [{ id: 'google', name: 'Google' }],
  })
  for (const provider of ['github', '', '__proto__']) {
    const answer = await request(server, `/authorize?provider=${provider}`)
    expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed'])
  }
  for (const challenge of [
    'code_challenge=short&code_challenge_method=s256',
    'code_challenge_method=s256',
  ]) {
    const answer = await request(server, `/authorize?provider=google&${challenge}`)
    expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed'])
  }
})
