import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import type { Config } from '../config.ts'
import { writeStream } from './backup-file.ts'
import { BackupError } from './backup-error.ts'
import { toError } from '../primitives/caught-error.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { ifDefined } from '../primitives/if-defined.ts'

/** S3 takes at most 10,000 parts of an object: 160 GB. */
const partBytes = 16 * 1024 ** 2
/** Limit for a request; for a download, which may be large, the limit without a byte. */
const defaultTimeoutMs = 10 * 60_000
/** For the removal of parts: a server that stops waits for it. */
const clearTimeoutMs = 5_000

interface BucketOptions {
  timeoutMs?: number
  /** Gives up the request in progress. */
  signal?: AbortSignal | undefined
}

/** A bucket of S3-compatible storage, addressed by path. Memory holds one part of 16 MiB at a time. */
export function openS3Bucket(
  settings: NonNullable<Config['media']['s3']>,
  bucket: string,
  { timeoutMs = defaultTimeoutMs, signal: stop }: BucketOptions = {},
) {
  const { accessKeyId, secretAccessKey, region } = settings
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 4 })
  const root = `${settings.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`
  const urlOf = (key: string) => `${root}/${key.split('/').map(encodeURIComponent).join('/')}`

  // Errors hold only a status: responses of storages may repeat signatures.
  const throwUnanswered = (error: unknown): never => {
    const { name } = toError(error)
    throw new BackupError(`The storage of bucket ${bucket} does not answer (${name}).`)
  }
  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const request = { signal: limit(timeoutMs, stop), ...init, redirect: 'error' } as const
    const response = await client.fetch(url, request).catch(throwUnanswered)
    if (response.ok) return response
    await response.body?.cancel()
    if (response.status === 404)
      throw new BackupError(`Bucket ${bucket} does not have that backup.`)
    throw new BackupError(`The storage of bucket ${bucket} answered ${response.status}.`)
  }
  const textOf = async (response: Promise<Response>): Promise<string> => (await response).text()

  const uploadParts = async (url: string, path: string, upload: string): Promise<void> => {
    const tags: string[] = []
    for await (const part of createReadStream(path, { highWaterMark: partBytes })) {
      const query = `?partNumber=${tags.length + 1}&uploadId=${encodeURIComponent(upload)}`
      const body = new Uint8Array(part as Buffer)
      const response = await ask(url + query, { method: 'PUT', body })
      await response.body?.cancel()
      tags.push(response.headers.get('etag') ?? '')
    }
    const parts = tags.map(
      (tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const query = `?uploadId=${encodeURIComponent(upload)}`
    const answer = await textOf(ask(url + query, { method: 'POST', body }))
    // S3 may answer 200 and put an error into the body.
    if (!answer.includes('CompleteMultipartUploadResult'))
      throw new BackupError(`The storage of bucket ${bucket} did not put the backup together.`)
  }

  return {
    /** The object is there whole or not at all. */
    async upload(path: string, key: string): Promise<void> {
      const url = urlOf(key)
      const { size } = await stat(path)
      if (size > partBytes * 10_000)
        throw new BackupError(`The backup has ${size} bytes; S3 takes at most 160 GB of it.`)
      const started = await textOf(ask(`${url}?uploads=`, { method: 'POST' }))
      const id = orThrow(
        /<UploadId>([^<]+)<\/UploadId>/.exec(started)?.[1],
        () => new BackupError(`The storage of bucket ${bucket} started no upload.`),
      )
      const upload = unescapeXml(id)
      try {
        await uploadParts(url, path, upload)
      } catch (error) {
        // Parts of an upload that was not completed cost money until someone removes them.
        const query = `?uploadId=${encodeURIComponent(upload)}`
        await ask(url + query, { method: 'DELETE', signal: limit(clearTimeoutMs) }).catch(() => {})
        throw error
      }
    },
    /** To a new file. */
    async download(key: string, path: string): Promise<void> {
      const idle = startIdleTimeout(timeoutMs)
      try {
        const { body } = await ask(urlOf(key), { signal: idle.signal })
        if (!body) throw new BackupError(`The storage of bucket ${bucket} answered nothing.`)
        await writeStream(path, chunksOf(body, idle.restart, throwUnanswered))
      } finally {
        idle.end()
      }
    },
    /** The bytes of an object while they arrive; undefined when there is none. */
    open: (key: string) =>
      openObject(
        (signal) => client.fetch(urlOf(key), { signal, redirect: 'error' }).catch(throwUnanswered),
        { timeoutMs, bucket, throwUnanswered },
      ),
    /** Keys that begin with `prefix`. */
    list: (prefix: string) =>
      listKeys((query) => textOf(ask(`${root}?${query.toString()}`)), prefix),
    async remove(key: string): Promise<void> {
      await (await ask(urlOf(key), { method: 'DELETE' })).body?.cancel()
    },
  }
}

function limit(timeoutMs: number, stop?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(timeoutMs)
  return stop ? AbortSignal.any([timeout, stop]) : timeout
}

/** Aborts its signal when it was not restarted for so long. */
function startIdleTimeout(timeoutMs: number) {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException('no data', 'TimeoutError'))
  const timer = setTimeout(abort, timeoutMs)
  return {
    signal: controller.signal,
    restart: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  }
}

async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  onChunk: () => void,
  onError: (error: unknown) => never,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) {
      onChunk()
      yield Buffer.from(chunk)
    }
  } catch (error) {
    onError(error)
  }
}

async function listKeys(
  readPage: (query: URLSearchParams) => Promise<string>,
  prefix: string,
): Promise<string[]> {
  const keys: string[] = []
  let token: string | undefined
  do {
    const query = new URLSearchParams({ 'list-type': '2', prefix })
    if (token !== undefined) query.set('continuation-token', token)
    const page = await readPage(query)
    keys.push(...[...page.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescapeXml(key)))
    const next = /<NextContinuationToken>([^<]+)<\/NextContinuationToken>/.exec(page)?.[1]
    token = ifDefined(next, unescapeXml)
  } while (token !== undefined)
  return keys
}

interface OpenOptions {
  timeoutMs: number
  bucket: string
  throwUnanswered: (error: unknown) => never
}

async function openObject(
  ask: (signal: AbortSignal) => Promise<Response>,
  { timeoutMs, bucket, throwUnanswered }: OpenOptions,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const idle = startIdleTimeout(timeoutMs)
  const { ok, status, body } = await ask(idle.signal)
  if (!ok) {
    idle.end()
    await body?.cancel()
    if (status === 404) return undefined
    throw new BackupError(`The storage of bucket ${bucket} answered ${status}.`)
  }
  const chunks = body ? chunksOf(body, idle.restart, throwUnanswered) : []
  const read = Readable.toWeb(Readable.from(untilEnd(chunks, idle.end)))
  return read as ReadableStream<Uint8Array>
}

async function* untilEnd(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  onEnd: () => void,
): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } finally {
    onEnd()
  }
}

function unescapeXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}
