import { expect } from 'vitest'
import { levelsOf } from './factor-calls.ts'
import { type Calls, nothing, refusal, signedIn } from './world.ts'

/** A security key as second factor. */
export const keyCalls: Calls = {
  async 'mfa.enroll (webauthn)'(world) {
    const { client } = await signedIn(world)
    const wanted = { factorType: 'webauthn', friendlyName: 'Blue key' } as const
    const { data, error } = await client.mfa.enroll(wanted)
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'webauthn', friendly_name: 'Blue key' })

    expect(refusal(await client.mfa.enroll(wanted))).toEqual([422, 'mfa_factor_name_conflict'])
  },

  async 'mfa.webauthn.register'(world) {
    const { client, person } = await signedIn(world)
    const { data, error } = await world.key.register(client, 'Blue key')
    expect(error).toBeNull()
    expect(data?.user).toMatchObject({
      id: person.id,
      factors: [{ factor_type: 'webauthn', friendly_name: 'Blue key', status: 'verified' }],
    })
    expect(await levelsOf(client)).toEqual(['aal2', 'aal2', ['mfa/webauthn', 'password']])

    const again = await world.key.register(client, 'Blue key')
    expect(refusal(again)).toEqual([422, 'mfa_factor_name_conflict'])
  },

  async 'mfa.webauthn.authenticate'(world) {
    const { client: first, person } = await signedIn(world)
    await world.key.register(first, 'Blue key')
    const { client } = await signedIn(world, person)
    expect(await levelsOf(client)).toEqual(['aal1', 'aal2', ['password']])
    expect(refusal(await client.updateUser({ password: 'a better horse 43' }))).toEqual([
      401,
      'insufficient_aal',
    ])
    const [factor] = (await client.mfa.listFactors()).data?.webauthn ?? []
    const factorId = factor?.id ?? ''
    const { data, error } = await world.key.authenticate(client, factorId)
    expect(error).toBeNull()
    expect(data?.user.factors).toMatchObject([{ id: factorId }])
    expect(await levelsOf(client)).toEqual(['aal2', 'aal2', ['mfa/webauthn', 'password']])

    const unknown = await world.key.authenticate(client, nothing)
    expect(refusal(unknown)).toEqual([404, 'mfa_factor_not_found'])
    expect((await client.mfa.unenroll({ factorId })).data).toEqual({ id: factorId })
  },
}
