import { makeSoftKey } from '../factors/soft-key.ts'
import type { World } from './world.ts'

/** The client's calls of a browser's security key, done with one of software: the same calls, in the same order. */
export function softSecurityKey(url: string): World['key'] {
  const { origin, hostname } = new URL(url)
  const site = { origin, id: hostname }
  const from = { rpId: hostname, rpOrigins: [origin] }
  let key = makeSoftKey()
  return {
    async register(client, friendlyName) {
      const begun = await client.mfa.enroll({ factorType: 'webauthn', friendlyName })
      if (begun.error) return begun
      const factorId = begun.data.id
      const asked = await client.mfa.challenge({ factorId, webauthn: from })
      if (asked.error) return asked
      const { id: challengeId, webauthn } = asked.data
      if (webauthn.type !== 'create') throw new Error('asked for no new key')
      key = makeSoftKey()
      const made = key.create(readable(webauthn.credential_options.publicKey), site)
      const credential_response = asCredential(made)
      return client.mfa.verify({
        factorId,
        challengeId,
        webauthn: { ...from, type: 'create', credential_response },
      })
    },
    async authenticate(client, factorId) {
      const asked = await client.mfa.challenge({ factorId, webauthn: from })
      if (asked.error) return asked
      const { id: challengeId, webauthn } = asked.data
      if (webauthn.type !== 'request') throw new Error('asked for a new key')
      const answer = key.get(readable(webauthn.credential_options.publicKey), site)
      const credential_response = asCredential(answer)
      return client.mfa.verify({
        factorId,
        challengeId,
        webauthn: { ...from, type: 'request', credential_response },
      })
    },
  }
}

/** Options as they come over the wire: the client has made bytes of the text. */
function readable({ challenge }: { challenge: BufferSource }): { challenge: string } {
  const bytes = challenge instanceof ArrayBuffer ? challenge : challenge.buffer
  return { challenge: Buffer.from(new Uint8Array(bytes)).toString('base64url') }
}

/** A credential as browsers hold it, which knows how to become JSON. */
function asCredential(json: Record<string, unknown>) {
  return { toJSON: () => json } as never
}
