import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { JWK } from 'jose'

/** Encrypts small secrets, so that neither the database nor a copy of it can reveal them. */
export type SecretBox = ReturnType<typeof createSecretBox>

const version = 'v1'
const ivBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM and HMAC-SHA256 with keys derived (HKDF) from the private signing key, which is not in the database. A new
 * signing key makes all sealed secrets unreadable: authenticator apps then have to be set up again.
 */
export function createSecretBox(signingKey: JWK) {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', signingKey.d ?? '', 'hoplet', purpose, 32))
  const [sealing, digesting] = [derive('secret box: seal'), derive('secret box: digest')]
  return {
    /** @param context the row and field; a secret that was sealed for one context cannot be opened for another */
    seal(secret: string, context: string): string {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return `${version}.${Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')}`
    },

    /** @returns undefined when it was sealed with another key, for another context, or changed since */
    open(sealed: string, context: string): string | undefined {
      const [found, text = ''] = sealed.split('.')
      const bytes = Buffer.from(text, 'base64url')
      if (found !== version || bytes.length < ivBytes + tagBytes) return undefined
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, ivBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes))
      try {
        const body = decipher.update(bytes.subarray(ivBytes, -tagBytes))
        return Buffer.concat([body, decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },

    /** A keyed digest for short codes, so that a reader of the table cannot try all million of them. */
    digest: (code: string, context: string): string =>
      createHmac('sha256', digesting)
        .update(JSON.stringify([context, code]))
        .digest('hex'),
  }
}
