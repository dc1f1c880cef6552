import { expect } from 'vitest'
import { pressLink, type ReceivedMail } from '../mailed/mailbox.ts'
import { newEmail } from '../requests.ts'
import { type Calls, makePerson, refusal, signedIn } from './world.ts'

const password = 'correct horse 42'
const secretIn = ({ link }: ReceivedMail) => new URL(link).searchParams.get('token') ?? ''
const wrongFor = (code: string) => (code === '123456' ? '654321' : '123456')

/** Calls with links and codes of mails. */
export const mailedCalls: Calls = {
  async 'verifyOtp (token_hash)'(world) {
    const email = newEmail()
    const client = world.newClient()
    await client.signUp({ email, password, options: { data: { display_name: 'Ada' } } })
    const early = await client.signInWithPassword({ email, password })
    expect(refusal(early)).toEqual([400, 'email_not_confirmed'])
    const token_hash = secretIn(await world.outside.mailFor(email))
    const { data, error } = await client.verifyOtp({ type: 'signup', token_hash })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email,
      email_confirmed_at: expect.any(String),
      user_metadata: { display_name: 'Ada' },
      identities: [{ provider: 'email', identity_data: { email_verified: true } }],
    })
    expect((await client.getUser()).data.user?.email).toBe(email)

    const again = await client.verifyOtp({ type: 'signup', token_hash })
    expect(refusal(again)).toEqual([403, 'otp_expired'])
  },

  async 'verifyOtp (code)'(world) {
    const email = newEmail()
    const client = world.newClient()
    await client.signUp({ email, password })
    const { code } = await world.outside.mailFor(email)
    const wrong = await client.verifyOtp({ type: 'email', email, token: wrongFor(code) })
    expect(refusal(wrong)).toEqual([403, 'otp_expired'])

    const { data, error } = await client.verifyOtp({ type: 'email', email, token: code })
    expect(error).toBeNull()
    expect(data.session?.user.email).toBe(email)
  },

  async resend(world) {
    const email = newEmail()
    const client = world.newClient()
    await client.signUp({ email, password })
    const first = secretIn(await world.outside.mailFor(email))
    const { data, error } = await client.resend({ type: 'signup', email })
    expect([data, error]).toEqual([{ user: null, session: null, messageId: undefined }, null])
    const second = secretIn(await world.outside.mailFor(email, 2))
    const old = await client.verifyOtp({ type: 'signup', token_hash: first })
    expect(refusal(old)).toEqual([403, 'otp_expired'])
    const { data: verified } = await client.verifyOtp({ type: 'signup', token_hash: second })
    expect(verified.user?.email).toBe(email)

    const nobody = await client.resend({ type: 'signup', email: 'no address' })
    expect(refusal(nobody)).toEqual([400, 'validation_failed'])
  },

  async resetPasswordForEmail(world) {
    const person = await makePerson(world)
    const client = world.newClient('implicit')
    const { error } = await client.resetPasswordForEmail(person.email, {
      redirectTo: world.outside.app,
    })
    expect(error).toBeNull()
    const mail = await world.outside.mailFor(person.email)
    expect(mail.parsed.subject).toBe('Reset your password')
    const { location, fragment } = await pressLink(world, mail.link)
    expect([`${location.origin}${location.pathname}`, fragment.get('type')]).toEqual([
      world.outside.app,
      'recovery',
    ])
    await client.setSession({
      access_token: fragment.get('access_token') ?? '',
      refresh_token: fragment.get('refresh_token') ?? '',
    })
    expect((await client.updateUser({ password: 'a better horse 43' })).error).toBeNull()
    const old = await client.signInWithPassword(person)
    expect(refusal(old)).toEqual([400, 'invalid_credentials'])
    await signedIn(world, { ...person, password: 'a better horse 43' })

    const nobody = await client.resetPasswordForEmail('no address')
    expect(refusal(nobody)).toEqual([400, 'validation_failed'])
  },

  async 'exchangeCodeForSession (of a mailed link)'(world) {
    const { email } = await makePerson(world)
    const client = world.newClient('pkce')
    await client.resetPasswordForEmail(email, { redirectTo: world.outside.app })
    const { query } = await pressLink(world, (await world.outside.mailFor(email)).link)
    const code = query.get('code') ?? ''
    const stranger = world.newClient('pkce')
    await stranger.resetPasswordForEmail(newEmail())
    expect(refusal(await stranger.exchangeCodeForSession(code))).toEqual([400, 'bad_code_verifier'])

    const { data, error } = await client.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data).toMatchObject({ user: { email }, redirectType: 'recovery' })
  },

  async signInWithOtp(world) {
    const { id, email } = await makePerson(world)
    const client = world.newClient()
    expect((await client.signInWithOtp({ email })).error).toBeNull()
    const mail = await world.outside.mailFor(email)
    expect(mail.parsed.subject).toBe('Your sign-in link')
    const known = await client.verifyOtp({ type: 'magiclink', token_hash: secretIn(mail) })
    expect(known.data.user?.id).toBe(id)

    const fresh = newEmail()
    const options = { data: { display_name: 'Grace' } }
    expect((await client.signInWithOtp({ email: fresh, options })).error).toBeNull()
    const { code } = await world.outside.mailFor(fresh)
    const made = await client.verifyOtp({ type: 'email', email: fresh, token: code })
    expect(made.data.user).toMatchObject({
      email: fresh,
      user_metadata: { display_name: 'Grace' },
    })

    // When the client wants no new account, none is made, and no email is sent.
    const unwanted = newEmail()
    const quiet = { email: unwanted, options: { shouldCreateUser: false } }
    expect((await client.signInWithOtp(quiet)).error).toBeNull()
    expect(await world.sql('select 1 from auth.users where email = $1', [unwanted])).toEqual([])
    const nobody = await client.signInWithOtp({ email: 'no address' })
    expect(refusal(nobody)).toEqual([400, 'validation_failed'])
  },

  async reauthenticate(world) {
    const { client, person } = await signedIn(world)
    expect((await client.reauthenticate()).error).toBeNull()
    const { code, link } = await world.outside.mailFor(person.email)
    expect(link).toBe('')
    const change = (nonce: string, to = 'a better horse 43') =>
      client.updateUser({ password: to, nonce })
    expect(refusal(await change(wrongFor(code)))).toEqual([422, 'reauthentication_not_valid'])
    expect((await change(code)).data.user?.id).toBe(person.id)
    expect(refusal(await change(code, 'the best 44'))).toEqual([422, 'reauthentication_not_valid'])
    // A sign-in needs more than this code.
    const { email } = person
    const misused = await client.verifyOtp({ type: 'email', email, token: code })
    expect(refusal(misused)).toEqual([403, 'otp_expired'])

    const nobody = await world.newClient().reauthenticate()
    expect(refusal(nobody)).toEqual([400, 'AuthSessionMissingError'])
  },
}
