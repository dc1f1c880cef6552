import { BackupError } from './backup-error.ts'

/** One file of a backup, small enough for memory. */
export interface Entry {
  /** At most 100 bytes of ASCII. */
  name: string
  data: Buffer
}

/** No entry of ours is larger than an image or a part of a table. */
const maxEntryBytes = 64 * 1024 ** 2
const blockBytes = 512

/** Writes files in the ustar format (POSIX.1-1988), which every tar reads. */
export async function* packTar(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  for await (const { name, data } of entries) {
    yield headerOf(name, data.length)
    if (data.length > 0) yield data
    const rest = data.length % blockBytes
    if (rest > 0) yield Buffer.alloc(blockBytes - rest)
  }
  yield Buffer.alloc(2 * blockBytes)
}

function headerOf(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new BackupError(`The name ${name} is too long for tar.`)
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'ascii')
  header.write(name, 0, 'ascii')
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(Math.floor(Date.now() / 1000), 136, 12)
  header.write('0', 156, 'ascii')
  header.write('ustar\x0000', 257, 'ascii')
  header.write(checksumOf(header), 148, 'ascii')
  return header
}

/** The sum of the bytes of the header, its own eight bytes counted as blanks. */
function checksumOf(header: Buffer): string {
  let sum = 8 * 0x20
  for (const [at, byte] of header.entries()) if (at < 148 || at >= 156) sum += byte
  return `${sum.toString(8).padStart(6, '0')}\0 `
}

/**
 * Reads archives of {@link packTar}.
 *
 * @throws {BackupError} when it ends early or is anything else
 */
export async function* unpackTar(source: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const take = readerOf(source)
  for (;;) {
    const header = await take(blockBytes)
    if (header.every((byte) => byte === 0)) break
    if (header.toString('ascii', 148, 156) !== checksumOf(header)) throw damaged('a tar header')
    const name = textOf(header.subarray(0, 100))
    const size = Number.parseInt(textOf(header.subarray(124, 136)), 8)
    if (!(size >= 0 && size <= maxEntryBytes)) throw damaged(`the size of ${name}`)
    const data = await take(size)
    await take((blockBytes - (size % blockBytes)) % blockBytes)
    yield { name, data }
  }
  await take(blockBytes)
  if ((await take.rest()) > 0) throw damaged('what follows its end')
}

/** Takes exactly that many bytes at a time. */
export function readerOf(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let heldBytes = 0
  const fill = async (): Promise<boolean> => {
    const { done, value } = await chunks.next()
    if (done) return false
    held.push(value)
    heldBytes += value.length
    return true
  }
  const take = async (bytes: number): Promise<Buffer> => {
    while (heldBytes < bytes) if (!(await fill())) throw new BackupError('The backup is truncated.')
    const all = held.length === 1 && held[0] ? held[0] : Buffer.concat(held)
    held = [all.subarray(bytes)]
    heldBytes -= bytes
    return all.subarray(0, bytes)
  }
  take.rest = async (): Promise<number> => {
    while (heldBytes === 0 && (await fill()));
    return heldBytes
  }
  return take
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0)
  return field.toString('ascii', 0, end < 0 ? field.length : end)
}

function damaged(what: string): BackupError {
  return new BackupError(`The backup is damaged: ${what} cannot be read.`)
}
