import { expect } from 'vitest'
import { codeOf } from '../factors/second-factor.ts'
import { newEmail } from '../requests.ts'
import { type Calls, makePerson, nothing, refusal, signedIn } from './world.ts'

const noSuchUser = [404, 'user_not_found']

/** Accounts, as an operator's program sees them. */
export const adminCalls: Calls = {
  async 'admin.createUser'(world) {
    const email = newEmail()
    const password = 'correct horse 42'
    const { data, error } = await world.admin.createUser({
      email,
      password,
      email_confirm: true,
      user_metadata: { display_name: 'Ada' },
      app_metadata: { team: 'red' },
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email,
      email_confirmed_at: expect.any(String),
      app_metadata: { provider: 'email', providers: ['email'], team: 'red' },
      user_metadata: { display_name: 'Ada' },
      identities: [{ provider: 'email' }],
    })
    await signedIn(world, { id: data.user?.id ?? '', email, password })

    const again = await world.admin.createUser({ email: email.toUpperCase(), password })
    expect(refusal(again)).toEqual([422, 'email_exists'])
  },

  async 'admin.listUsers'(world) {
    const ids = []
    for (let n = 0; n < 3; n++) ids.unshift((await makePerson(world)).id)
    const { data, error } = await world.admin.listUsers({ page: 1, perPage: 2 })
    expect(error).toBeNull()
    expect(data.users.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const [row] = await world.sql<{ n: number }>('select count(*)::int as n from auth.users')
    expect(data).toMatchObject({ total: row?.n, nextPage: 2 })
    const second = await world.admin.listUsers({ page: 2, perPage: 2 })
    expect(second.data.users[0]?.id).toBe(ids[2])

    const tooMany = await world.admin.listUsers({ perPage: 1_001 })
    expect(refusal(tooMany)).toEqual([400, 'validation_failed'])
  },

  async 'admin.getUserById'(world) {
    const { id, email } = await makePerson(world)
    const { data, error } = await world.admin.getUserById(id)
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id, email })

    expect(refusal(await world.admin.getUserById(nothing))).toEqual(noSuchUser)
  },

  async 'admin.updateUserById'(world) {
    const person = await makePerson(world)
    const change = { email: newEmail(), user_metadata: { a: 1 }, app_metadata: { team: 'blue' } }
    const { data, error } = await world.admin.updateUserById(person.id, change)
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ ...change, role: 'authenticated' })

    const other = await makePerson(world)
    const taken = await world.admin.updateUserById(person.id, { email: other.email })
    expect(refusal(taken)).toEqual([422, 'email_exists'])
  },

  async 'admin.deleteUser'(world) {
    const { client, person } = await signedIn(world)
    expect((await world.admin.deleteUser(person.id)).error).toBeNull()
    expect(refusal(await client.getUser())?.[0]).toBe(403)

    expect(refusal(await world.admin.deleteUser(person.id))).toEqual(noSuchUser)
  },

  async 'admin.signOut'(world) {
    const { client, person } = await signedIn(world)
    const other = await signedIn(world, person)
    const token = (await client.getSession()).data.session?.access_token ?? ''
    expect((await world.admin.signOut(token, 'others')).error).toBeNull()
    expect((await client.getUser()).data.user?.id).toBe(person.id)
    expect((await other.client.getUser()).data.user).toBeNull()

    expect(refusal(await world.admin.signOut('x.y.z'))).toEqual([403, 'bad_jwt'])
  },

  async 'admin.generateLink'(world) {
    const { id, email } = await makePerson(world)
    const { data, error } = await world.admin.generateLink({ type: 'magiclink', email })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id, email })
    expect(data.properties).toMatchObject({
      email_otp: expect.stringMatching(/^\d{6}$/),
      verification_type: 'magiclink',
    })
    expect(data.properties?.action_link).toContain(`${world.url}/auth/v1/verify?token=`)
    const token_hash = data.properties?.hashed_token ?? ''
    const verified = await world.newClient().verifyOtp({ type: 'email', token_hash })
    expect(verified.data.user?.id).toBe(id)
    // No email is sent.
    expect(world.outside.mailbox.received.filter(({ to }) => to === email)).toEqual([])

    const unknown = await world.admin.generateLink({ type: 'recovery', email: newEmail() })
    expect(refusal(unknown)).toEqual(noSuchUser)
  },

  async 'admin.inviteUserByEmail'(world) {
    const email = newEmail()
    const { data, error } = await world.admin.inviteUserByEmail(email, { data: { team: 'red' } })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email,
      invited_at: expect.any(String),
      user_metadata: { team: 'red' },
    })
    expect(data.user?.email_confirmed_at).toBeUndefined()
    const { link } = await world.outside.mailFor(email)
    const token_hash = new URL(link).searchParams.get('token') ?? ''
    const client = world.newClient()
    const verified = await client.verifyOtp({ type: 'invite', token_hash })
    expect(verified.data.user?.id).toBe(data.user?.id)

    const known = await world.admin.inviteUserByEmail((await makePerson(world)).email)
    expect(refusal(known)).toEqual([422, 'email_exists'])
  },

  async 'admin.mfa.listFactors, admin.mfa.deleteFactor'(world) {
    const { client, person } = await signedIn(world)
    const { data: factor } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'App' })
    const factorId = factor?.id ?? ''
    const secret = factor?.totp.secret ?? ''
    await client.mfa.challengeAndVerify({ factorId, code: await codeOf(secret, -1) })
    const { data, error } = await world.admin.mfa.listFactors({ userId: person.id })
    expect(error).toBeNull()
    expect(data?.factors).toMatchObject([
      { id: factorId, factor_type: 'totp', friendly_name: 'App', status: 'verified' },
    ])
    expect(JSON.stringify(data)).not.toContain(secret)

    const other = await makePerson(world)
    const wrong = await world.admin.mfa.deleteFactor({ userId: other.id, id: factorId })
    expect(refusal(wrong)).toEqual([404, 'mfa_factor_not_found'])
    const gone = await world.admin.mfa.deleteFactor({ userId: person.id, id: factorId })
    expect(gone.error).toBeNull()
    const left = await world.admin.mfa.listFactors({ userId: person.id })
    expect(left.data?.factors).toEqual([])
    expect(refusal(await world.admin.mfa.listFactors({ userId: nothing }))).toEqual(noSuchUser)
  },
}
