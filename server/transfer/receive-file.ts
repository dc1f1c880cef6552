import { createReadStream, createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { tmpdir } from 'node:os'
import { randomUUID } from 'node:crypto'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Busboy } from '@fastify/busboy'
import { HttpError } from '../http/errors.ts'

/** A file of a form on the disk of this server. `remove` deletes it. */
export interface ReceivedFile {
  path: string
  /** As the sender named it, without folders. */
  name: string
  bytes: number
  /** By its first bytes. */
  isZip: boolean
  remove(): Promise<void>
}

const fileTooLarge = (maxBytes: number) =>
  new HttpError(413, `A file can have at most ${Math.floor(maxBytes / 1024 / 1024)} MB`)
const noForm = () => new HttpError(400, 'The form has no file')

/**
 * Writes the first file of a `multipart/form-data` request to the disk. A name that ends in `.gz` is unpacked, and `maxBytes` counts the
 * unpacked bytes.
 *
 * @throws {HttpError} 400, 413 or 415
 */
export async function receiveFile(
  request: Request,
  maxBytes: number,
  maxZipBytes: number,
): Promise<ReceivedFile> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data *;/i.test(type))
    throw new HttpError(415, 'Content-Type must be multipart/form-data')
  if (!request.body) throw noForm()
  const path = join(tmpdir(), `hoplet-import-${randomUUID()}`)
  const remove = () => rm(path, { force: true })
  try {
    const name = await writeFirstFile(request.body, type, path, maxBytes, maxZipBytes)
    const { size: bytes } = await stat(path)
    const start = await startOf(path)
    const isZip = start.subarray(0, 4).equals(zipStart)
    if (!isZip && bytes > maxBytes) throw fileTooLarge(maxBytes)
    return { path, name, bytes, isZip, remove }
  } catch (error) {
    await remove()
    if (error instanceof HttpError) throw error
    throw new HttpError(400, 'The file did not arrive completely')
  }
}

function writeFirstFile(
  body: ReadableStream<Uint8Array>,
  type: string,
  path: string,
  maxBytes: number,
  maxZipBytes: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let writing: Promise<string> | undefined
    const form = new Busboy({
      headers: { 'content-type': type },
      limits: { files: 1, fields: 10, fieldSize: 1_024, parts: 12, headerPairs: 20 },
    })
    form.on('file', (_field, file, filename) => {
      const sent = basename(filename.replaceAll('\\', '/')).slice(-200) || 'file'
      const isPacked = sent.endsWith('.gz')
      const steps = [file, ...(isPacked ? [createGunzip()] : []), counter(maxBytes, maxZipBytes)]
      writing = pipeline([...steps, createWriteStream(path, { mode: 0o600 })]).then(() =>
        isPacked ? sent.slice(0, -3) || 'file' : sent,
      )
      writing.catch(reject)
    })
    form.on('error', reject)
    form.on('finish', () => {
      if (writing) writing.then(resolve, reject)
      else reject(noForm())
    })
    pipeline(Readable.fromWeb(body as never), form).catch(reject)
  })
}

/** Passes bytes through, and fails at the first one beyond the maximum, which is another one for a zip. */
function counter(maxBytes: number, maxZipBytes: number): Transform {
  let bytes = 0
  let max = maxBytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (bytes === 0 && chunk.subarray(0, 4).equals(zipStart)) max = maxZipBytes
      bytes += chunk.length
      if (bytes > max) done(fileTooLarge(max))
      else done(null, chunk)
    },
  })
}

const zipStart = Buffer.from('PK\u0003\u0004')
const sniffedBytes = 64 * 1024

/** The text of a file in pieces: UTF-8, UTF-16 with or without a byte order mark, else Windows-1252. */
export async function* fileText(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOf(path))
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
    yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

async function encodingOf(
  path: string,
): Promise<'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'> {
  const start = await startOf(path)
  const [first, second] = start
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  // Latin letters in UTF-16 have a zero in every second byte.
  const zerosAt = (parity: number) => start.filter((byte, at) => byte === 0 && at % 2 === parity)
  if (zerosAt(1).length > start.length / 5) return 'utf-16le'
  if (zerosAt(0).length > start.length / 5) return 'utf-16be'
  return (await isUtf8(path)) ? 'utf-8' : 'windows-1252'
}

async function startOf(path: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of createReadStream(path, {
    end: sniffedBytes - 1,
  }) as AsyncIterable<Buffer>)
    chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function isUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
      decoder.decode(chunk, { stream: true })
    decoder.decode()
    return true
  } catch {
    return false
  }
}
