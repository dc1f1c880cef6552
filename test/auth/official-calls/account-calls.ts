import { expect } from 'vitest'
import { newEmail } from '../requests.ts'
import { type Calls, makePerson, refusal, signedIn } from './world.ts'

/** Accounts with a password, and the calls by which their people read and change them. */
export const accountCalls: Calls = {
  async signUp(world) {
    const email = newEmail()
    const client = world.newClient()
    const options = {
      data: { display_name: 'Ada' },
      emailRedirectTo: `${world.url}/dashboard`,
    }
    const { data, error } = await client.signUp({ email, password: 'correct horse 42', options })
    expect(error).toBeNull()
    // The answer does not tell whether the address had an account.
    expect(data).toMatchObject({ session: null, user: { email, identities: [] } })
    const { link, parsed } = await world.outside.mailFor(email)
    expect(parsed.subject).toBe('Confirm your email address')
    const { searchParams } = new URL(link)
    expect(searchParams.get('type')).toBe('signup')
    expect(searchParams.get('redirect_to')).toBe(options.emailRedirectTo)
    expect(await world.sql('select id from auth.users where email = $1', [email])).toEqual([
      { id: data.user?.id },
    ])

    const weak = await client.signUp({ email: newEmail(), password: '12345' })
    expect(refusal(weak)).toEqual([422, 'weak_password'])
    expect(weak.error).toMatchObject({ reasons: ['length'] })
  },

  async signInWithPassword(world) {
    const { id, email, password } = await makePerson(world)
    const client = world.newClient()
    const { data, error } = await client.signInWithPassword({
      email: email.toUpperCase(),
      password,
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id, email, role: 'authenticated' })
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })

    const wrong = await client.signInWithPassword({ email, password: 'wrong horse 42' })
    expect(refusal(wrong)).toEqual([400, 'invalid_credentials'])
    expect(wrong.data).toEqual({ user: null, session: null })
  },

  async getUser(world) {
    const { client, person } = await signedIn(world)
    const { data, error } = await client.getUser()
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      id: person.id,
      email: person.email,
      app_metadata: { provider: 'email', providers: ['email'] },
      identities: [{ provider: 'email', identity_data: { email: person.email } }],
      is_anonymous: false,
    })

    expect(refusal(await client.getUser('x.y.z'))).toEqual([403, 'bad_jwt'])
  },

  async 'updateUser (data, password)'(world) {
    const { client, person } = await signedIn(world)
    const { data, error } = await client.updateUser({ data: { display_name: 'Grace' } })
    expect(error).toBeNull()
    expect(data.user?.user_metadata).toEqual({ display_name: 'Grace' })
    const password = 'a better horse 43'
    expect((await client.updateUser({ password })).error).toBeNull()
    expect((await signedIn(world, { ...person, password })).client).toBeDefined()
    const { parsed } = await world.outside.mailFor(person.email)
    expect(parsed.subject).toBe('Your password was changed')

    expect(refusal(await client.updateUser({ password }))).toEqual([422, 'same_password'])
    const guessed = await client.updateUser({ password: 'the best 44', current_password: 'guess' })
    expect(refusal(guessed)).toEqual([400, 'current_password_invalid'])
    const known = await client.updateUser({ password: 'the best 44', current_password: password })
    expect(known.error).toBeNull()
  },

  async 'updateUser (email)'(world) {
    const { client, person } = await signedIn(world)
    const email = newEmail()
    const { data, error } = await client.updateUser({ email })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email: person.email, new_email: email })
    const links = [await world.outside.mailFor(email), await world.outside.mailFor(person.email)]
    for (const { link } of links) {
      expect((await client.getUser()).data.user?.email).toBe(person.email)
      const token_hash = new URL(link).searchParams.get('token') ?? ''
      expect((await client.verifyOtp({ type: 'email_change', token_hash })).error).toBeNull()
    }
    const changed = await client.getUser()
    expect(changed.data.user).toMatchObject({
      id: person.id,
      email,
      identities: [{ identity_data: { email } }],
    })
    expect(changed.data.user?.new_email).toBeUndefined()

    const nobody = await client.updateUser({ email: 'no address' })
    expect(refusal(nobody)).toEqual([400, 'validation_failed'])
  },
}
