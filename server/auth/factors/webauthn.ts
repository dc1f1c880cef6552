import { isIP } from 'node:net'
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import * as z from 'zod'

/** A security key as it is stored. */
export interface StoredCredential {
  /** base64url */
  id: string
  /** COSE, base64url. */
  publicKey: string
  /** Increases with each use, on keys that count. A lower value means a copied key. */
  counter: number
  transports: string[]
}

/** The part of the sent options that a challenge stores. */
export interface CeremonyState {
  type: 'create' | 'request'
  challenge: string
}

/** The site that keys belong to. The client's own `rpId` and `rpOrigins` are ignored. */
interface RelyingParty {
  id: string
  origin: string
}

/**
 * @returns undefined at an IP address, where browsers offer no security keys. A loopback address counts as `localhost`.
 */
export function relyingParty(publicUrl: string): RelyingParty | undefined {
  const { protocol, hostname, port, origin } = new URL(publicUrl)
  const address = hostname.replace(/^\[|\]$/g, '')
  if (!isIP(address)) return { id: hostname, origin }
  if (address !== '::1' && !address.startsWith('127.')) return undefined
  return { id: 'localhost', origin: `${protocol}//localhost${port && `:${port}`}` }
}

const text = z.string().max(16_384)

/** `webauthn` of a verification, as the official client sends it. */
export const webauthnAnswer = z.object({
  type: z.enum(['create', 'request']),
  credential_response: z.object({
    id: text,
    rawId: text,
    type: z.literal('public-key'),
    response: z.object({
      clientDataJSON: text,
      attestationObject: text.optional(),
      authenticatorData: text.optional(),
      signature: text.optional(),
      userHandle: text.nullish().transform((handle) => handle ?? undefined),
      transports: z.array(z.string().max(32)).max(10).optional(),
    }),
  }),
})

type Answer = z.output<typeof webauthnAnswer>['credential_response']

/** Options to create a key, and the part to store. */
export async function creationOptions(
  party: RelyingParty,
  person: { id: string; name: string },
  others: readonly StoredCredential[],
) {
  const publicKey = await generateRegistrationOptions({
    rpName: 'Hoplet',
    rpID: party.id,
    userID: new TextEncoder().encode(person.id),
    userName: person.name,
    userDisplayName: person.name,
    attestationType: 'none',
    excludeCredentials: others.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  })
  return { publicKey, state: { type: 'create', challenge: publicKey.challenge } as const }
}

/** Options to use a key, and the part to store. */
export async function requestOptions(party: RelyingParty, key: StoredCredential) {
  const publicKey = await generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: [{ id: key.id, transports: key.transports }],
    userVerification: 'preferred',
  })
  return { publicKey, state: { type: 'request', challenge: publicKey.challenge } as const }
}

/** The library throws for every invalid response of a client: that is not a fault of the server. */
const refused = () => undefined

/** @returns the key when it was created for this challenge and this site, else undefined */
export async function checkCreation(
  party: RelyingParty,
  challenge: string,
  answer: Answer,
): Promise<StoredCredential | undefined> {
  const { clientDataJSON, attestationObject } = answer.response
  if (attestationObject === undefined) return undefined
  const { id, rawId, type } = answer
  const made = { clientDataJSON, attestationObject }
  const result = await verifyRegistrationResponse({
    response: { id, rawId, type, response: made, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    // As a second factor, possession of the key is enough.
    requireUserVerification: false,
  }).catch(refused)
  if (!result?.verified) return undefined
  const { credential } = result.registrationInfo
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: answer.response.transports ?? [],
  }
}

/** @returns the key with its new counter when it signed this challenge for this site, else undefined */
export async function checkRequest(
  party: RelyingParty,
  challenge: string,
  answer: Answer,
  key: StoredCredential,
): Promise<StoredCredential | undefined> {
  const { clientDataJSON, authenticatorData, signature, userHandle } = answer.response
  if (authenticatorData === undefined || signature === undefined) return undefined
  const { id, rawId, type } = answer
  if (id !== key.id) return undefined
  const signed = { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) }
  const result = await verifyAuthenticationResponse({
    response: { id, rawId, type, response: signed, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    credential: {
      id,
      publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')),
      counter: key.counter,
    },
    requireUserVerification: false,
  }).catch(refused)
  return result?.verified ? { ...key, counter: result.authenticationInfo.newCounter } : undefined
}
