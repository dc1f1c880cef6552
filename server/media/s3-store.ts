import { AwsClient } from 'aws4fetch'
import { type MediaStore, StorageError } from './store.ts'

export interface S3Settings {
  /** For example `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

const timeoutMs = 15_000
const maxBytes = 32 * 1024 * 1024

/** Keeps images in any S3-compatible storage, as `media/ab/{hash}.webp` of the bucket (addressed by path). */
export function createS3Store(settings: S3Settings): MediaStore {
  const { accessKeyId, secretAccessKey, region } = settings
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 })
  const endpoint = settings.endpoint.replace(/\/+$/, '')
  const urlOf = (hash: string) =>
    `${endpoint}/${encodeURIComponent(settings.bucket)}/media/${hash.slice(0, 2)}/${hash}.webp`

  const ask = async (hash: string, init: RequestInit): Promise<Response> => {
    try {
      return await client.fetch(urlOf(hash), {
        ...init,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
    } catch (error) {
      throw new StorageError(`the media storage does not answer (${nameOf(error)})`)
    }
  }

  return {
    async put(hash, bytes) {
      const response = await ask(hash, {
        method: 'PUT',
        body: new Uint8Array(bytes),
        headers: { 'content-type': 'image/webp' },
      })
      await response.body?.cancel()
      if (!response.ok) throw new StorageError(`the media storage answered ${response.status}`)
    },
    async get(hash) {
      const response = await ask(hash, { method: 'GET' })
      if (response.ok && Number(response.headers.get('content-length') ?? 0) <= maxBytes) {
        return Buffer.from(await response.arrayBuffer())
      }
      await response.body?.cancel()
      if (response.status === 404) return undefined
      throw new StorageError(`the media storage answered ${response.status}`)
    },
    async remove(hash) {
      const response = await ask(hash, { method: 'DELETE' })
      await response.body?.cancel()
      if (!response.ok && response.status !== 404) {
        throw new StorageError(`the media storage answered ${response.status}`)
      }
    },
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
