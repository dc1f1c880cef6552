import { createHash } from 'node:crypto'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { errorCode } from '../primitives/error-code.ts'
import { sha256 } from '../primitives/sha256.ts'
import { BackupError } from './backup-error.ts'
import { decrypt, encrypt, magic } from './encryption.ts'
import { sealGzip, unsealGzip } from './gzip-seal.ts'
import { type Entry, packTar, unpackTar } from './tar.ts'

/** Entries between two lists of checksums: what a writer and a reader hold of them. */
const entriesPerList = 1_000
const endName = 'end.json'
const end = z.object({ entries: z.number(), sha256: z.string() })

/**
 * Files as one stream: tar, gzip and, with a passphrase, encryption. After every 1,000 files and at the end there is a list of
 * their checksums as `sha256sum` writes it (`SHA256SUMS.000001`, …); the last file has the checksum of all lists.
 */
export function writeArchive(
  entries: AsyncIterable<Entry>,
  passphrase: string | undefined,
  costExponent?: number,
): AsyncIterable<Buffer> {
  const packed = sealGzip(through(packTar(withChecksums(entries)), gzip))
  return passphrase === undefined ? packed : encrypt(packed, passphrase, costExponent)
}

// Level 1 is three times as fast as the default, for a tenth more bytes.
const gzip = () => createGzip({ level: 1 })

/** Starts when the first chunk is asked for; an error of the source is thrown to who reads, and nowhere else. */
async function* through(
  source: AsyncIterable<Buffer>,
  createTransform: () => Transform,
): AsyncGenerator<Buffer> {
  const transform = createTransform()
  // It ends the source, too, when the reader stops early. Errors arrive by the iteration.
  pipeline(Readable.from(source, { objectMode: false }), transform, () => {})
  yield* transform as AsyncIterable<Buffer>
}

async function* withChecksums(entries: AsyncIterable<Entry>): AsyncGenerator<Entry> {
  const all = createHash('sha256')
  let lines: string[] = []
  let lists = 0
  let count = 0
  const list = (): Entry => {
    const data = Buffer.from(lines.join(''))
    all.update(data)
    lines = []
    return { name: `SHA256SUMS.${String(++lists).padStart(6, '0')}`, data }
  }
  for await (const entry of entries) {
    yield entry
    lines.push(lineOf(entry))
    count++
    if (lines.length === entriesPerList) yield list()
  }
  if (lines.length > 0) yield list()
  const data = Buffer.from(JSON.stringify({ entries: count, sha256: all.digest('hex') }))
  yield { name: endName, data }
}

/** The files of an archive in their order, checked. The iteration has to be completed: the end says whether all is there. */
export type ArchiveEntries = AsyncGenerator<Entry, { sha256: string }>

/**
 * Reads an archive. A file is given out before its checksum is known to be right: what is done with it has to be undone
 * when a later step throws.
 *
 * @returns at the end, the checksum of everything
 * @throws {BackupError} when it was truncated or altered, or the passphrase is missing or wrong
 */
export async function* readArchive(
  source: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): ArchiveEntries {
  const all = createHash('sha256')
  let lines: string[] = []
  let count = 0
  let found: z.infer<typeof end> | undefined
  for await (const entry of unpackTar(unzip(opened(source, passphrase)))) {
    if (found) throw new BackupError('The backup is damaged: its end is not its last file.')
    if (entry.name === endName) {
      found = parseEnd(entry.data)
    } else if (entry.name.startsWith('SHA256SUMS.')) {
      if (entry.data.toString() !== lines.join(''))
        throw new BackupError('The backup was altered: its checksums are wrong.')
      all.update(entry.data)
      lines = []
    } else {
      count++
      lines.push(lineOf(entry))
      if (lines.length > entriesPerList)
        throw new BackupError('The backup is damaged: a list of checksums is missing.')
      yield entry
    }
  }
  const digest = all.digest('hex')
  if (!found) throw new BackupError('The backup is truncated.')
  if (lines.length > 0 || found.entries !== count || found.sha256 !== digest)
    throw new BackupError('The backup was altered: its checksums are wrong.')
  return { sha256: digest }
}

function lineOf({ name, data }: Entry): string {
  return `${sha256(data).toString('hex')}  ${name}\n`
}

function parseEnd(data: Buffer): z.infer<typeof end> {
  try {
    return end.parse(JSON.parse(data.toString()))
  } catch (cause) {
    throw new BackupError('The backup is damaged: its end cannot be read.', { cause })
  }
}

/** Decrypts when the first bytes say that it is encrypted. */
async function* opened(
  source: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  while (start.length < magic.length) {
    const { done, value } = await chunks.next()
    if (done) throw new BackupError('The backup is truncated.')
    start = Buffer.concat([start, value])
  }
  const whole = prepend(start, { [Symbol.asyncIterator]: () => chunks })
  if (start.subarray(0, magic.length).equals(magic)) {
    if (passphrase === undefined)
      throw new BackupError('The backup is encrypted: set BACKUP_PASSPHRASE.')
    yield* decrypt(whole, passphrase)
  } else if (start[0] === 0x1f && start[1] === 0x8b) {
    yield* whole
  } else {
    throw new BackupError('This is not a backup of Hoplet, or it was altered.')
  }
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first
  yield* rest
}

async function* unzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* through(unsealGzip(source), createGunzip)
  } catch (error) {
    if (errorCode(error)?.startsWith('Z_'))
      throw new BackupError('The backup is truncated, or it was altered: it cannot be unpacked.', {
        cause: error,
      })
    throw error
  }
}
