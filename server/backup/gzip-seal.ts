import { createHash } from 'node:crypto'
import { BackupError } from './backup-error.ts'

// An empty gzip member with an extra field (RFC 1952, 2.3.1.1): `HP`, 32 bytes. Programs that read gzip ignore it.
const start = Buffer.from('1f8b08040000000000ff' + '2400' + '4850' + '2000', 'hex')
const end = Buffer.from('0300' + '00000000' + '00000000', 'hex')
const hashBytes = 32
const sealBytes = start.length + hashBytes + end.length

/**
 * Adds the SHA-256 of all bytes to the end of a gzip stream. The checksums inside are of what it unpacks to, and some other
 * bytes unpack to the same.
 */
export async function* sealGzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of source) {
    hash.update(chunk)
    yield chunk
  }
  yield Buffer.concat([start, hash.digest(), end])
}

/** @throws {BackupError} at the end, when it does not have the seal of the bytes before it */
export async function* unsealGzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let held = Buffer.alloc(0)
  for await (const chunk of source) {
    held = Buffer.concat([held, chunk])
    const body = held.subarray(0, Math.max(0, held.length - sealBytes))
    hash.update(body)
    held = held.subarray(body.length)
    if (body.length > 0) yield body
  }
  if (!held.equals(Buffer.concat([start, hash.digest(), end])))
    throw new BackupError('The backup is truncated, or it was altered.')
}
