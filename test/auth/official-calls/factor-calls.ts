import jsqr from 'jsqr'
import sharp from 'sharp'
import { expect } from 'vitest'
import type { OfficialClient } from '../requests.ts'
import { codeOf, wrongCode } from '../factors/second-factor.ts'
import { type Calls, nothing, refusal, signedIn, type World } from './world.ts'

/** An authenticator app as second factor, from first to last. */
export const factorCalls: Calls = {
  async 'mfa.enroll (totp)'(world) {
    const { client } = await signedIn(world)
    const wanted = { factorType: 'totp', friendlyName: 'My phone', issuer: 'Hoplet: home' } as const
    const { data, error } = await client.mfa.enroll(wanted)
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'totp', friendly_name: 'My phone' })
    if (data?.type !== 'totp') throw new Error('no factor')
    expect(await scan(data.totp.qr_code)).toBe(data.totp.uri)
    expect(new URL(data.totp.uri).searchParams.get('secret')).toBe(data.totp.secret)

    expect(refusal(await client.mfa.enroll(wanted))).toEqual([422, 'mfa_factor_name_conflict'])
  },

  async 'mfa.challenge (totp)'(world) {
    const { client } = await signedIn(world)
    const { factorId } = await begin(client)
    const { data, error } = await client.mfa.challenge({ factorId })
    expect(error).toBeNull()
    expect(data).toMatchObject({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), type: 'totp' })
    expect(data?.expires_at).toBeGreaterThan(Date.now() / 1000 + 290)

    const unknown = await client.mfa.challenge({ factorId: nothing })
    expect(refusal(unknown)).toEqual([404, 'mfa_factor_not_found'])
  },

  async 'mfa.verify (totp)'(world) {
    const { client, person } = await signedIn(world)
    const { factorId, secret } = await begin(client)
    const { data: asked } = await client.mfa.challenge({ factorId })
    const answer = { factorId, challengeId: asked?.id ?? '' }
    const wrong = await client.mfa.verify({ ...answer, code: await wrongCode(secret) })
    expect(refusal(wrong)).toEqual([422, 'mfa_verification_failed'])

    const right = await client.mfa.verify({ ...answer, code: await codeOf(secret, -1) })
    expect(right.error).toBeNull()
    expect(right.data).toMatchObject({
      token_type: 'bearer',
      user: { id: person.id, factors: [{ id: factorId, status: 'verified' }] },
    })
    expect(await levelsOf(client)).toEqual(['aal2', 'aal2', ['totp', 'password']])
    expect((await client.refreshSession()).error).toBeNull()
    expect(await levelsOf(client)).toEqual(['aal2', 'aal2', ['totp', 'password']])
  },

  async 'mfa.challengeAndVerify'(world) {
    const { client, factorId, secret } = await enrolled(world)
    const wrong = await client.mfa.challengeAndVerify({ factorId, code: await wrongCode(secret) })
    expect(refusal(wrong)).toEqual([422, 'mfa_verification_failed'])
    const right = await client.mfa.challengeAndVerify({ factorId, code: await codeOf(secret) })
    expect(right.error).toBeNull()
    expect(right.data?.user.factors).toMatchObject([{ id: factorId }])
    expect(await levelsOf(client)).toEqual(['aal2', 'aal2', ['totp', 'password']])
  },

  async 'mfa.getAuthenticatorAssuranceLevel'(world) {
    const { client } = await signedIn(world)
    expect(await levelsOf(client)).toEqual(['aal1', 'aal1', ['password']])
    const { client: halfway } = await enrolled(world)
    expect(await levelsOf(halfway)).toEqual(['aal1', 'aal2', ['password']])
    expect(await levelsOf(world.newClient())).toEqual([null, null, []])
  },

  async 'mfa.listFactors'(world) {
    const { client } = await signedIn(world)
    const { factorId, secret } = await begin(client)
    const begun = await client.mfa.listFactors()
    expect(begun.error).toBeNull()
    expect(begun.data).toMatchObject({
      all: [{ id: factorId, status: 'unverified', factor_type: 'totp' }],
      totp: [],
    })
    await client.mfa.challengeAndVerify({ factorId, code: await codeOf(secret, -1) })
    expect((await client.mfa.listFactors()).data).toMatchObject({
      totp: [{ id: factorId, status: 'verified', friendly_name: 'My phone' }],
      phone: [],
      webauthn: [],
    })

    const nobody = await world.newClient().mfa.listFactors()
    expect(refusal(nobody)).toEqual([400, 'AuthSessionMissingError'])
  },

  async 'mfa.unenroll'(world) {
    const { client, factorId, secret } = await enrolled(world)
    expect(refusal(await client.mfa.unenroll({ factorId }))).toEqual([422, 'insufficient_aal'])
    await client.mfa.challengeAndVerify({ factorId, code: await codeOf(secret) })
    const { data, error } = await client.mfa.unenroll({ factorId })
    expect([data, error]).toEqual([{ id: factorId }, null])
    expect((await client.mfa.listFactors()).data?.all).toEqual([])
    // The session falls with its factor.
    expect((await client.refreshSession()).error).toBeNull()
    expect(await levelsOf(client)).toEqual(['aal1', 'aal1', ['password']])
  },
}

/** A factor that is still to be verified. */
async function begin(client: OfficialClient) {
  const { data, error } = await client.mfa.enroll({
    factorType: 'totp',
    friendlyName: 'My phone',
  })
  if (error) throw error
  return { factorId: data.id, secret: data.totp.secret }
}

/** A person with an authenticator app (the code of one step ago is used up), signed in with the password alone. */
async function enrolled(world: World) {
  const { client, person } = await signedIn(world)
  const { factorId, secret } = await begin(client)
  await client.mfa.challengeAndVerify({ factorId, code: await codeOf(secret, -1) })
  return { ...(await signedIn(world, person)), factorId, secret }
}

/** The level now, the one that could be, and the methods of the session, the newest first. */
export async function levelsOf(client: OfficialClient) {
  const { data } = await client.mfa.getAuthenticatorAssuranceLevel()
  const methods = data?.currentAuthenticationMethods.map((entry) =>
    typeof entry === 'string' ? entry : entry.method,
  )
  return [data?.currentLevel, data?.nextLevel, methods]
}

/** The text that a camera reads off the picture, taken exactly as the client hands it to `<img src>`. */
async function scan(dataAddress: string): Promise<string | undefined> {
  expect(new URL(dataAddress).hash).toBe('')
  const svg = decodeURIComponent(dataAddress.slice(dataAddress.indexOf(',') + 1))
  const { data, info } = await sharp(Buffer.from(svg))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return jsqr(new Uint8ClampedArray(data), info.width, info.height)?.data
}
