import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { BackupError } from './backup-error.ts'

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** The first bytes of an encrypted backup. */
export const magic = Buffer.from('HOPLETE1')
const saltBytes = 16
const tagBytes = 16
const chunkBytes = 64 * 1024
/** scrypt with N = 2^17, r = 8, p = 1: 128 MiB for a moment. The file names N, so that it can grow. */
const costExponent = 17
const maxCostExponent = 20
const headerBytes = magic.length + 1 + saltBytes
/** Set in the length of the last chunk. */
const lastFlag = 0x8000_0000

/**
 * AES-256-GCM in chunks of 64 KiB: `length (4 bytes), ciphertext, tag (16)`. Each chunk is authenticated with the
 * header, its number and whether it is the last, so none can be dropped, repeated, moved or added unnoticed.
 *
 * @param exponent what deriving the key costs; tests choose a small one
 */
export async function* encrypt(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  exponent = costExponent,
): AsyncGenerator<Buffer> {
  const header = Buffer.concat([magic, Buffer.from([exponent]), randomBytes(saltBytes)])
  const key = await keyOf(passphrase, header)
  yield header
  let number = 0
  const seal = (plain: Buffer, isLast: boolean): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(plain.length + (isLast ? lastFlag : 0))
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++))
    cipher.setAAD(Buffer.concat([header, length]))
    const body = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([length, body, cipher.getAuthTag()])
  }
  let held = Buffer.alloc(0)
  for await (const chunk of source) {
    held = Buffer.concat([held, chunk])
    let at = 0
    // The last chunk is sealed as such, so one is always held back.
    for (; held.length - at > chunkBytes; at += chunkBytes)
      yield seal(held.subarray(at, at + chunkBytes), false)
    held = held.subarray(at)
  }
  yield seal(held, true)
}

/** @throws {BackupError} for a wrong passphrase, or when anything was changed */
export async function* decrypt(
  source: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0)
  let header: Buffer | undefined
  let key: Buffer | undefined
  let number = 0
  let isEnded = false
  for await (const chunk of source) {
    held = Buffer.concat([held, chunk])
    if (!header || !key) {
      if (held.length < headerBytes) continue
      header = Buffer.from(held.subarray(0, headerBytes))
      key = await keyOf(passphrase, header)
      held = held.subarray(headerBytes)
    }
    while (held.length >= 4) {
      const word = held.readUInt32BE(0)
      const isLast = word >= lastFlag
      const end = 4 + (isLast ? word - lastFlag : word) + tagBytes
      if (isEnded || end > 4 + chunkBytes + tagBytes) throw altered()
      if (held.length < end) break
      const sealed = held.subarray(0, end)
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number))
      decipher.setAAD(Buffer.concat([header, sealed.subarray(0, 4)]))
      decipher.setAuthTag(sealed.subarray(-tagBytes))
      const body = decipher.update(sealed.subarray(4, -tagBytes))
      try {
        decipher.final()
      } catch {
        throw number === 0
          ? new BackupError('The passphrase is wrong, or the beginning of the backup was altered.')
          : altered()
      }
      yield body
      number++
      isEnded = isLast
      held = held.subarray(end)
    }
  }
  if (held.length > 0 || !isEnded) throw new BackupError('The backup is truncated.')
}

function keyOf(passphrase: string, header: Buffer): Promise<Buffer> {
  const exponent = header[magic.length] ?? 0
  if (exponent < 10 || exponent > maxCostExponent) throw altered()
  const N = 2 ** exponent
  const salt = header.subarray(magic.length + 1)
  return deriveKey(passphrase, salt, 32, { N, r: 8, p: 1, maxmem: 256 * N * 8 })
}

/** A key encrypts one file only, so the number of the chunk is nonce enough. */
function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(number), 4)
  return nonce
}

function altered(): BackupError {
  return new BackupError('The backup was altered: a part of it is not what was written.')
}
