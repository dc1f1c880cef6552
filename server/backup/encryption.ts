import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import * as web from 'node:stream/web'
import { promisify } from 'node:util'
import type { Identity } from 'age-encryption'
import { errorCode } from '../primitives/error-code.ts'
import { BackupError } from './backup-error.ts'

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** scrypt with N = 2^16, r = 8, p = 1 takes 64 MiB for a moment. The file names the exponent, so that it can grow. */
const defaultWorkFactor = 16
const maxWorkFactor = 20
const tagBytes = 16

/**
 * Encrypts in the age format (https://age-encryption.org/v1) with a passphrase, as `age -p` does; `age -d` decrypts it.
 *
 * @param workFactor cost of deriving the key; tests choose a small one
 */
export async function* encrypt(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  workFactor = defaultWorkFactor,
): AsyncGenerator<Buffer> {
  const { Encrypter, Stanza } = await import('age-encryption')
  const encrypter = new Encrypter()
  // Not `setPassphrase`: its scrypt would hold up the event loop, and with it every visitor, for most of a second.
  encrypter.addRecipient({
    async wrapFileKey(fileKey) {
      const salt = randomBytes(16)
      const cipher = createCipheriv(...(await keyCipher(passphrase, salt, workFactor)))
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
      const encodedSalt = salt.toString('base64').replace(/=+$/, '')
      return [new Stanza(['scrypt', encodedSalt, String(workFactor)], body)]
    },
  })
  yield* buffersOf(await encrypter.encrypt(streamOf(source)))
}

/** @throws {BackupError} for a wrong passphrase, or when anything was changed */
export async function* decrypt(
  source: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  decrypter.addIdentity(identityOf(passphrase))
  let failure = 'The passphrase is wrong, or the beginning of the backup is damaged.'
  try {
    const decrypted = await decrypter.decrypt(streamOf(source))
    failure = 'The backup is truncated, or it was altered.'
    yield* buffersOf(decrypted)
  } catch (cause) {
    // Those of the disk have a code, those of the format have none.
    if (cause instanceof BackupError || errorCode(cause) !== undefined) throw cause
    throw new BackupError(failure, { cause })
  }
}

function identityOf(passphrase: string): Identity {
  return {
    async unwrapFileKey([stanza]) {
      const [type, salt = '', exponent = ''] = stanza?.args ?? []
      const workFactor = Number(exponent)
      const isOurs = type === 'scrypt' && Number.isInteger(workFactor) && workFactor >= 1
      if (!stanza || !isOurs || workFactor > maxWorkFactor) return null
      const key = await keyCipher(passphrase, Buffer.from(salt, 'base64'), workFactor)
      const decipher = createDecipheriv(...key)
      decipher.setAuthTag(stanza.body.subarray(-tagBytes))
      const fileKey = decipher.update(stanza.body.subarray(0, -tagBytes))
      try {
        decipher.final()
      } catch {
        return null
      }
      return fileKey
    },
  }
}

/** Wraps the key of a file. A salt serves one file, so the nonce is zero. */
async function keyCipher(passphrase: string, salt: Buffer, workFactor: number) {
  const labeled = Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), salt])
  const cost = { N: 2 ** workFactor, r: 8, p: 1, maxmem: 2 ** 31 }
  const key = await deriveKey(passphrase, labeled, 32, cost)
  return ['chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: tagBytes }] as const
}

/** The types of Node's streams and the browser's differ; the streams do not. */
function streamOf(source: AsyncIterable<Buffer>): ReadableStream<Uint8Array> {
  return web.ReadableStream.from(source) as ReadableStream<Uint8Array>
}

async function* buffersOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of stream)
    yield Buffer.from(buffer, byteOffset, byteLength)
}
