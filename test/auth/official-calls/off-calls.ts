import { expect } from 'vitest'
import { type Calls, refusal, signedIn } from './world.ts'

const phone = '+491511234567'
const noPhones = [422, 'phone_provider_disabled']

/** Calls that the protocol has and this server does not: each is refused by name and signs no one in. */
export const offCalls: Calls = {
  async signInAnonymously(world) {
    const answer = await world.newClient().signInAnonymously()
    expect(refusal(answer)).toEqual([422, 'anonymous_provider_disabled'])
    expect(answer.data).toEqual({ user: null, session: null })
  },

  async 'signUp, signInWithPassword, signInWithOtp, verifyOtp, resend (phone)'(world) {
    const client = world.newClient()
    const password = 'correct horse 42'
    const answers = [
      await client.signUp({ phone, password }),
      await client.signInWithPassword({ phone, password }),
      await client.signInWithOtp({ phone }),
      await client.verifyOtp({ phone, token: '123456', type: 'sms' }),
      await client.resend({ phone, type: 'sms' }),
    ]
    expect(answers.map(refusal)).toEqual(answers.map(() => noPhones))
    expect((await client.getSession()).data.session).toBeNull()
  },

  async 'updateUser (phone)'(world) {
    const { client } = await signedIn(world)
    expect(refusal(await client.updateUser({ phone }))).toEqual(noPhones)
  },

  async signInWithWeb3(world) {
    for (const chain of ['ethereum', 'solana'] as const) {
      const signature = chain === 'ethereum' ? ('0x00' as const) : new Uint8Array(64)
      const credentials = { chain, message: 'Let me in', signature } as Parameters<
        ReturnType<typeof world.newClient>['signInWithWeb3']
      >[0]
      const answer = await world.newClient().signInWithWeb3(credentials)
      expect(refusal(answer)).toEqual([422, 'web3_provider_disabled'])
    }
  },

  async signInWithSSO(world) {
    const answer = await world.newClient().signInWithSSO({ domain: 'example.com' })
    expect(refusal(answer)).toEqual([404, 'saml_provider_disabled'])
  },
}
