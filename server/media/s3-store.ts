import { AwsClient } from 'aws4fetch'
import type { Config } from '../config.ts'
import { inSpan } from '../tracing/span.ts'
import { type MediaStore, StorageError } from './store.ts'
import { toError } from '../primitives/caught-error.ts'

const timeoutMs = 15_000

/** Also in the middle of an image. */
const unanswered = (error: unknown): never => {
  throw new StorageError(`the media storage does not answer (${toError(error).name})`)
}

/** Keeps images in any S3-compatible storage, as `media/ab/{hash}.webp` of the bucket (addressed by path). */
export function createS3Store(settings: NonNullable<Config['media']['s3']>): MediaStore {
  const { accessKeyId, secretAccessKey, region } = settings
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 })
  const endpoint = settings.endpoint.replace(/\/+$/, '')
  const urlOf = (hash: string) =>
    `${endpoint}/${encodeURIComponent(settings.bucket)}/media/${hash.slice(0, 2)}/${hash}.webp`

  const ask = async (hash: string, init: RequestInit): Promise<Response> => {
    const request = { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) } as const
    const response = await inSpan(`s3 ${init.method}`, { kind: 'client' }, () =>
      client.fetch(urlOf(hash), request),
    ).catch(unanswered)
    if (response.ok) return response
    await response.body?.cancel()
    if (response.status === 404 && init.method !== 'PUT') return response
    throw new StorageError(`the media storage answered ${response.status}`)
  }

  return {
    async put(hash, bytes) {
      const headers = { 'content-type': 'image/webp' }
      const response = await ask(hash, { method: 'PUT', body: new Uint8Array(bytes), headers })
      await response.body?.cancel()
    },
    async get(hash) {
      const response = await ask(hash, { method: 'GET' })
      return response.ok ? Buffer.from(await response.arrayBuffer().catch(unanswered)) : undefined
    },
    async remove(hash) {
      const response = await ask(hash, { method: 'DELETE' })
      if (response.ok) await response.body?.cancel()
    },
  }
}
