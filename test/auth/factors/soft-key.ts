import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A security key in software (ES256, no attestation), for answers that a browser would never send. */
export interface SoftKey {
  /** The result of `navigator.credentials.create()`, as JSON. */
  create(options: { challenge: string }, site: Site): Record<string, unknown>
  /** The result of `navigator.credentials.get()`, as JSON. Default: the counter goes up by one. */
  get(options: { challenge: string }, site: Site, counter?: number): Record<string, unknown>
}

interface Site {
  origin: string
  id: string
}

export function makeSoftKey(): SoftKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let count = 0
  const base = { id: base64(id), rawId: base64(id), type: 'public-key', clientExtensionResults: {} }
  return {
    create({ challenge }, site) {
      const attested = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, coseKey(publicKey)])
      const authData = Buffer.concat([header(site.id, 0x41, count), attested])
      const attestationObject = Buffer.concat([
        // {"fmt": "none", "attStmt": {}, "authData": …}
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
        uint16(authData.length),
        authData,
      ])
      return {
        ...base,
        response: {
          clientDataJSON: base64(clientData('webauthn.create', challenge, site.origin)),
          attestationObject: base64(attestationObject),
          transports: ['usb'],
        },
      }
    },
    get({ challenge }, site, counter) {
      count = counter ?? count + 1
      const authData = header(site.id, 0x01, count)
      const client = clientData('webauthn.get', challenge, site.origin)
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
      return {
        ...base,
        response: {
          clientDataJSON: base64(client),
          authenticatorData: base64(authData),
          signature: base64(sign('sha256', signed, privateKey)),
        },
      }
    },
  }
}

function header(site: string, flags: number, counter: number): Buffer {
  const rest = Buffer.alloc(5)
  rest.writeUInt8(flags)
  rest.writeUInt32BE(counter, 1)
  return Buffer.concat([createHash('sha256').update(site).digest(), rest])
}

function clientData(type: string, challenge: string, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

/** COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

const base64 = (bytes: Buffer) => bytes.toString('base64url')
