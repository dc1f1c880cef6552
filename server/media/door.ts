import type { Context } from '../context.ts'
import { BodyTooLargeError } from '../http/body.ts'
import { limitKey } from '../http/client-address.ts'
import type { Caller, Door } from '../http/door.ts'
import { errorResponse, HttpError, httpErrors, toHttpError } from '../http/errors.ts'
import type { Policy } from '../http/rate-limit.ts'
import { requirePerson } from '../tokens/person.ts'
import { ImageError } from './image.ts'
import { UploadRefusedError } from './media.ts'
import { StorageError } from './s3-store.ts'
import { readUpload } from './upload.ts'

interface MediaCall {
  context: Context
  request: Request
  caller: Caller
  /** Of the image that the path names; empty for /media/uploads. */
  hash: string
}

type Handler = (call: MediaCall) => Promise<Response>

const upload: Record<string, Handler> = { POST: takeUpload }
const image: Record<string, Handler> = { GET: sendImage, HEAD: sendImage, DELETE: takeDown }

const perAddress: Policy = { name: 'media', burst: 60, window: 60 }
const perPerson: Policy = { name: 'upload', burst: 20, window: 60 }

/**
 * `POST /media/uploads` (bearer token; a PNG, JPEG or WebP, alone or in a form) → `{imageUrl}`; `GET /media/{hash}.webp`;
 * `DELETE` of that for admins, for good. Errors are `{error}`.
 */
export function createMediaDoor(context: Context): Door {
  return async (request, caller) => {
    try {
      const { pathname } = new URL(request.url)
      const hash = /^\/media\/([0-9a-f]{64})\.webp$/.exec(pathname)?.[1]
      if (hash === undefined && pathname !== '/media/uploads') throw httpErrors.notFound()
      const methods = hash === undefined ? upload : image
      const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
      if (!handler) throw httpErrors.methodNotAllowed(Object.keys(methods).join(', '))
      return await handler({ context, request, caller, hash: hash ?? '' })
    } catch (error) {
      const known = toMediaError(error) ?? toHttpError(error, request)
      if (!known) throw error
      if (known.status >= 500) caller.log.warn({ err: error }, 'media request refused for now')
      return errorResponse(known)
    }
  }
}

async function takeUpload({ context, request, caller }: MediaCall): Promise<Response> {
  take(context, perAddress, limitKey(caller.address))
  const person = await requirePerson(context, request)
  take(context, perPerson, person.id)
  const imageUrl = await context.media.saveUpload(person.id, await readUpload(request))
  return Response.json({ imageUrl }, { status: 201, headers: { 'Cache-Control': 'no-store' } })
}

async function sendImage({ context, request, hash }: MediaCall): Promise<Response> {
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    ETag: `"${hash}"`,
  }
  const bytes = await context.media.read(hash)
  if (!bytes) throw httpErrors.notFound()
  if (request.headers.get('if-none-match')?.includes(headers.ETag)) {
    return new Response(null, { status: 304, headers })
  }
  return new Response(request.method === 'HEAD' ? null : new Uint8Array(bytes), {
    headers: { ...headers, 'Content-Type': 'image/webp', 'Content-Length': String(bytes.length) },
  })
}

/** An abusive image goes for everybody, off every popup, and does not come back. */
async function takeDown({ context, request, caller, hash }: MediaCall): Promise<Response> {
  const person = await requirePerson(context, request)
  const isAdmin = await context.database.transactionAs(
    { role: 'authenticated', claims: person.claims, readOnly: true },
    async (db) =>
      (
        await db.query(`select 1 from api.user_roles where user_id = $1 and role = 'admin'`, [
          person.id,
        ])
      ).rows.length > 0,
  )
  if (!isAdmin) throw httpErrors.forbidden()
  await context.media.block(hash)
  caller.log.info({ security: 'media taken down', hash, user_id: person.id }, 'media taken down')
  return new Response(null, { status: 204 })
}

function toMediaError(error: unknown): HttpError | undefined {
  if (error instanceof ImageError) {
    const later: Record<string, string> = error.status === 503 ? { 'Retry-After': '5' } : {}
    return new HttpError(error.status, error.message, later)
  }
  if (error instanceof BodyTooLargeError) return new HttpError(413, 'Images may have at most 5 MB')
  if (error instanceof StorageError) return httpErrors.unavailable()
  if (!(error instanceof UploadRefusedError)) return undefined
  return error.reason === 'limit'
    ? new HttpError(429, "You've reached your daily limit of uploads. Please try again tomorrow.")
    : new HttpError(403, 'This image was taken down')
}

function take(context: Pick<Context, 'rateLimits'>, limit: Policy, key: string): void {
  const wait = context.rateLimits.take(limit, key)
  if (wait !== undefined) throw httpErrors.tooManyRequests(wait)
}
