import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailbox.ts'
import { newEmail, officialClient, request, signIn } from './requests.ts'

// Each flow as the official client drives it, with mails that went over SMTP.

let server: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  server = await startMailingServer({ auth: { ...auth, autoconfirm: false } })
})
afterAll(() => server.close())

const password = 'correct horse 42'

async function confirmedPerson(email = newEmail()) {
  const client = officialClient(server)
  await client.signUp({ email, password })
  const { secret } = secretOf((await server.mailFor(email)).link)
  const { data, error } = await client.verifyOtp({ type: 'signup', token_hash: secret })
  if (error || !data.user) throw new Error('the sign-up was not confirmed')
  return { email, client, id: data.user.id }
}

function secretOf(link: string): { secret: string; type: string; redirectTo: string } {
  const { searchParams } = new URL(link)
  return {
    secret: searchParams.get('token') ?? '',
    type: searchParams.get('type') ?? '',
    redirectTo: searchParams.get('redirect_to') ?? '',
  }
}

it('signUp mails a link; verifyOtp with its token_hash opens the account', async () => {
  const email = newEmail()
  const client = officialClient(server)
  const { data, error } = await client.signUp({
    email,
    password,
    options: { data: { display_name: 'Ada' }, emailRedirectTo: `${server.url}/dashboard` },
  })
  expect(error).toBeNull()
  expect(data).toMatchObject({ session: null, user: { email, identities: [] } })
  expect((await signIn(server, email, password)).body['code']).toBe('email_not_confirmed')
  const { link, parsed } = await server.mailFor(email)
  expect(parsed.subject).toBe('Confirm your email address')
  const { secret, type, redirectTo } = secretOf(link)
  expect({ type, redirectTo }).toEqual({ type: 'signup', redirectTo: `${server.url}/dashboard` })
  const verified = await client.verifyOtp({ type: 'signup', token_hash: secret })
  expect(verified.error).toBeNull()
  expect(verified.data.user).toMatchObject({
    id: data.user?.id,
    email,
    email_confirmed_at: expect.any(String),
    user_metadata: { display_name: 'Ada' },
    identities: [{ provider: 'email', identity_data: { email_verified: true } }],
  })
  expect((await client.getUser()).error).toBeNull()
  expect((await signIn(server, email, password)).status).toBe(200)
})

it('signUp: the code works where the link cannot be followed', async () => {
  const email = newEmail()
  const client = officialClient(server)
  await client.signUp({ email, password })
  const { code } = await server.mailFor(email)
  const { data, error } = await client.verifyOtp({ type: 'email', email, token: code })
  expect(error).toBeNull()
  expect(data.session?.user.email).toBe(email)
})

it('resend mails a new link, and the old one is dead', async () => {
  const email = newEmail()
  const client = officialClient(server)
  await client.signUp({ email, password })
  const first = await server.mailFor(email)
  const { error } = await client.resend({ type: 'signup', email })
  expect(error).toBeNull()
  const mails = await server.mailsFor(email)
  expect(mails).toHaveLength(2)
  const dead = await client.verifyOtp({ type: 'signup', token_hash: secretOf(first.link).secret })
  expect(dead.error).toMatchObject({ status: 403, code: 'otp_expired' })
  const newest = secretOf(mails[1]?.link ?? '').secret
  expect((await client.verifyOtp({ type: 'signup', token_hash: newest })).error).toBeNull()
})

it('resetPasswordForEmail: the link signs in, the new password counts and the old one does not', async () => {
  const { email } = await confirmedPerson()
  const client = officialClient(server)
  const { error } = await client.resetPasswordForEmail(email, { redirectTo: `${server.url}/auth` })
  expect(error).toBeNull()
  const mail = await server.mailFor(email)
  expect(mail.parsed.subject).toBe('Reset your password')
  const { status, location, fragment } = await pressLink(server, mail.link)
  expect(status).toBe(303)
  expect(`${location.origin}${location.pathname}`).toBe(`${server.url}/auth`)
  expect(fragment.get('type')).toBe('recovery')
  const signedIn = await client.setSession({
    access_token: fragment.get('access_token') ?? '',
    refresh_token: fragment.get('refresh_token') ?? '',
  })
  expect(signedIn.error).toBeNull()
  expect((await client.updateUser({ password: 'a better one' })).error).toBeNull()
  expect((await signIn(server, email, password)).status).toBe(400)
  expect((await signIn(server, email, 'a better one')).status).toBe(200)
  expect((await server.mailFor(email)).parsed.subject).toBe('Your password was changed')
})

it('resetPasswordForEmail with PKCE: the link gives a code that only the asking client can exchange', async () => {
  const { email } = await confirmedPerson()
  const client = officialClient(server, { flowType: 'pkce' })
  await client.resetPasswordForEmail(email, { redirectTo: `${server.url}/auth` })
  const { query, fragment } = await pressLink(server, (await server.mailFor(email)).link)
  const code = query.get('code') ?? ''
  expect(fragment.get('access_token')).toBeNull()
  const stranger = await request(server, '/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: 'x'.repeat(43) },
  })
  expect([stranger.status, stranger.body['code']]).toEqual([400, 'bad_code_verifier'])
  const { data, error } = await client.exchangeCodeForSession(code)
  expect(error).toBeNull()
  expect(data.user?.email).toBe(email)
})

it('signUp with PKCE: exchangeCodeForSession after the link', async () => {
  const email = newEmail()
  const client = officialClient(server, { flowType: 'pkce' })
  await client.signUp({ email, password, options: { emailRedirectTo: `${server.url}/dashboard` } })
  const { location, query } = await pressLink(server, (await server.mailFor(email)).link)
  expect(location.pathname).toBe('/dashboard')
  const { data, error } = await client.exchangeCodeForSession(query.get('code') ?? '')
  expect(error).toBeNull()
  expect(data.session?.user.email).toBe(email)
})

it('signInWithOtp: link for a known person, an account for a new one, code and address for both', async () => {
  const { email, id } = await confirmedPerson()
  const client = officialClient(server)
  expect((await client.signInWithOtp({ email })).error).toBeNull()
  const mail = await server.mailFor(email)
  expect(mail.parsed.subject).toBe('Your sign-in link')
  const { secret } = secretOf(mail.link)
  const byLink = await client.verifyOtp({ type: 'magiclink', token_hash: secret })
  expect(byLink.data.user?.id).toBe(id)

  const fresh = newEmail()
  const options = { data: { display_name: 'Grace' } }
  expect((await client.signInWithOtp({ email: fresh, options })).error).toBeNull()
  const { code } = await server.mailFor(fresh)
  const byCode = await client.verifyOtp({ type: 'email', email: fresh, token: code })
  expect(byCode.error).toBeNull()
  expect(byCode.data.user).toMatchObject({ email: fresh, user_metadata: { display_name: 'Grace' } })
})

it('signInWithOtp makes no account when the client does not want one', async () => {
  const email = newEmail()
  const { error } = await officialClient(server).signInWithOtp({
    email,
    options: { shouldCreateUser: false },
  })
  expect(error).toBeNull()
  expect(await server.mailsFor(email)).toEqual([])
  expect(await server.sql('select 1 from auth.users where email = $1', [email])).toEqual([])
})

it('updateUser({email}) changes the address once both addresses have agreed, in either order', async () => {
  for (const order of [
    ['old', 'new'],
    ['new', 'old'],
  ] as const) {
    const { email, client, id } = await confirmedPerson()
    const wanted = newEmail()
    const { data, error } = await client.updateUser({ email: wanted })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, new_email: wanted })
    const links = {
      old: secretOf((await server.mailFor(email)).link),
      new: secretOf((await server.mailFor(wanted)).link),
    }
    expect((await server.mailFor(email)).parsed.text).toContain(wanted)
    const first = await client.verifyOtp({
      type: 'email_change',
      token_hash: links[order[0]].secret,
    })
    expect(first.error).toBeNull()
    expect(first.data.session).toBeNull()
    expect((await client.getUser()).data.user?.email).toBe(email)
    const second = await client.verifyOtp({
      type: 'email_change',
      token_hash: links[order[1]].secret,
    })
    expect(second.data.user).toMatchObject({ id, email: wanted })
    expect(second.data.user?.new_email).toBeUndefined()
    expect(second.data.user?.identities?.[0]?.identity_data).toMatchObject({ email: wanted })
    expect((await signIn(server, wanted, password)).status).toBe(200)
    expect((await signIn(server, email, password)).status).toBe(400)
  }
})

it('answers the first of the two with {msg, code}, by link with a message', async () => {
  const { email, client } = await confirmedPerson()
  const wanted = newEmail()
  await client.updateUser({ email: wanted })
  const { secret } = secretOf((await server.mailFor(email)).link)
  const { status, body } = await request(server, '/verify', {
    body: { type: 'email_change', token_hash: secret },
  })
  expect([status, body]).toEqual([
    200,
    {
      msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
      code: '200',
    },
  ])
  // Resent to the one that has not agreed, and pressed.
  expect((await client.resend({ type: 'email_change', email })).error).toBeNull()
  expect(await server.mailsFor(wanted)).toHaveLength(2)
  const { fragment } = await pressLink(server, (await server.mailFor(wanted)).link)
  expect(fragment.get('type')).toBe('email_change')
})

it('reauthenticate mails a code that a change of password accepts once', async () => {
  const { email, client } = await confirmedPerson()
  expect((await client.reauthenticate()).error).toBeNull()
  const { code, link } = await server.mailFor(email)
  expect(link).toBe('')
  const wrong = code === '123456' ? '654321' : '123456'
  const refused = await client.updateUser({ password: 'a better one', nonce: wrong })
  expect(refused.error).toMatchObject({ status: 422, code: 'reauthentication_not_valid' })
  expect((await client.updateUser({ password: 'a better one', nonce: code })).error).toBeNull()
  const again = await client.updateUser({ password: 'the best one', nonce: code })
  expect(again.error).toMatchObject({ code: 'reauthentication_not_valid' })
  // A sign-in needs more than this code.
  const { error } = await officialClient(server).verifyOtp({ type: 'email', email, token: code })
  expect(error?.code).toBe('otp_expired')
})

it('updateUser compares the current password when it is given', async () => {
  const { client } = await confirmedPerson()
  const wrong = await client.updateUser({ password: 'a better one', current_password: 'guess' })
  expect(wrong.error).toMatchObject({ status: 400 })
  const right = await client.updateUser({ password: 'a better one', current_password: password })
  expect(right.error).toBeNull()
})
