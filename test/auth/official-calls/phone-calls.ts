import { expect } from 'vitest'
import type { OfficialClient } from '../requests.ts'
import { newPhone } from '../stand-ins/sms.ts'
import { levelsOf } from './factor-calls.ts'
import { type Calls, refusal, signedIn, type World } from './world.ts'

/** A phone as second factor. */
export const phoneCalls: Calls = {
  async 'mfa.enroll (phone)'(world) {
    const { client } = await signedIn(world)
    const phone = newPhone()
    const spaced = `${phone.slice(0, 3)} (${phone.slice(3, 6)}) ${phone.slice(6)}`
    const { data, error } = await client.mfa.enroll({
      factorType: 'phone',
      friendlyName: 'Mobile',
      phone: spaced,
    })
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'phone', friendly_name: 'Mobile', phone: phone.slice(1) })
    expect(messagesTo(world, phone)).toEqual([])

    const nowhere = await client.mfa.enroll({ factorType: 'phone', phone: '12' })
    expect(refusal(nowhere)).toEqual([400, 'validation_failed'])
  },

  async 'mfa.challenge (phone)'(world) {
    const { client } = await signedIn(world)
    const { factorId, phone } = await begin(client)
    const { data, error } = await client.mfa.challenge({ factorId, channel: 'sms' })
    expect(error).toBeNull()
    expect(data).toMatchObject({ type: 'phone', expires_at: expect.any(Number) })
    const [message] = messagesTo(world, phone)
    expect(message?.code).toMatch(/^\d{6}$/)
    const stored = await world.sql('select * from auth.challenges where factor_id = $1', [factorId])
    expect(stored).toHaveLength(1)
    expect(JSON.stringify(stored)).not.toContain(message?.code)

    const soon = await client.mfa.challenge({ factorId, channel: 'sms' })
    expect(refusal(soon)).toEqual([429, 'over_sms_send_rate_limit'])
  },

  async 'mfa.verify (phone)'(world) {
    const { client } = await signedIn(world)
    const { factorId, phone } = await begin(client)
    const { data: asked } = await client.mfa.challenge({ factorId, channel: 'sms' })
    const code = await world.outside.sms.codeFor(phone)
    const verify = (given: string) =>
      client.mfa.verify({ factorId, challengeId: asked?.id ?? '', code: given })
    const wrong = await verify(code === '123456' ? '654321' : '123456')
    expect(refusal(wrong)).toEqual([422, 'mfa_verification_failed'])

    const { data, error } = await verify(code)
    expect(error).toBeNull()
    expect(data?.user.factors).toMatchObject([{ id: factorId, status: 'verified' }])
    expect(await levelsOf(client)).toEqual(['aal2', 'aal2', ['mfa/phone', 'password']])
    expect((await client.mfa.listFactors()).data?.phone).toMatchObject([
      { id: factorId, phone: phone.slice(1), status: 'verified' },
    ])
    expect(refusal(await verify(code))).toEqual([422, 'mfa_challenge_expired'])
    expect((await client.mfa.unenroll({ factorId })).data).toEqual({ id: factorId })
  },
}

async function begin(client: OfficialClient) {
  const phone = newPhone()
  const { data, error } = await client.mfa.enroll({ factorType: 'phone', phone })
  if (error) throw error
  return { factorId: data.id, phone }
}

const messagesTo = ({ outside }: World, phone: string) =>
  outside.sms.sent.filter((message) => message.phone === phone)
