import { createDecipheriv, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { BackupError } from './backup-error.ts'
import { readerOf } from './tar.ts'

// Remove this file, and `former` in archive.ts, after the release that brought the age format.

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt)
const headerBytes = 25
const tagBytes = 16
const maxChunkBytes = 64 * 1024
/** Set in the length of the last chunk. */
const lastFlag = 0x8000_0000

/**
 * Decrypts backups from before the age format: `HOPLETE1`, scrypt's exponent, a salt, and chunks of
 * AES-256-GCM, each authenticated with the header, its number and whether it is the last.
 */
export async function* decryptFormer(
  source: AsyncIterable<Buffer>,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const take = readerOf(source)
  const header = await take(headerBytes)
  const N = 2 ** Math.max(1, Math.min(header[8] ?? 0, 20))
  const cost = { N, r: 8, p: 1, maxmem: 2 ** 31 }
  const key = await deriveKey(passphrase, header.subarray(9), 32, cost)
  let isLast = false
  for (let number = 0; !isLast; number++) {
    const length = await take(4)
    const word = length.readUInt32BE(0)
    isLast = word >= lastFlag
    const bytes = Math.min(isLast ? word - lastFlag : word, maxChunkBytes)
    const nonce = Buffer.alloc(12)
    nonce.writeBigUInt64BE(BigInt(number), 4)
    const decipher = createDecipheriv('aes-256-gcm', key, nonce)
    decipher.setAAD(Buffer.concat([header, length]))
    const body = decipher.update(await take(bytes))
    decipher.setAuthTag(await take(tagBytes))
    try {
      decipher.final()
    } catch (cause) {
      throw new BackupError('The passphrase is wrong, or the backup was altered.', { cause })
    }
    yield body
  }
  if ((await take.rest()) > 0) throw new BackupError('The backup was altered.')
}
