import { popupLimits } from '#domain/popups/popup-limits.ts'
import type { Context } from '../context.ts'
import { BodyError, readBytes } from '../http/body.ts'
import { HttpError, httpErrors } from '../http/errors.ts'
import {
  adminOnly,
  limitByAddress,
  limitByPerson,
  signedInMember,
  signedInPerson,
} from '../http/guards.ts'
import { type HttpCall, routesWith } from '../http/router.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { Person } from '../tokens/person.ts'
import { notAnImage } from './image.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { matchError } from '../primitives/caught-error.ts'

interface MediaCall extends HttpCall {
  deps: Pick<Context, 'database' | 'tokens' | 'rateLimits' | 'media'>
}

const perAddress: BucketPolicy = { name: 'media', burst: 60, windowSeconds: 60 }
const perPerson: BucketPolicy = { name: 'upload', burst: 20, windowSeconds: 60 }

const mediaRoute = routesWith<MediaCall>()
const uploads = [
  limitByAddress(perAddress),
  signedInMember('links:write'),
  limitByPerson(perPerson),
] as const
const image = '/:file{[0-9a-f]{64}\\.webp}'

/** `/media`, with errors as `{error}`. Images: a PNG, JPEG or WebP, alone or in a form, becomes a WebP. */
export const mediaRoutes = [
  mediaRoute('POST', '/uploads', uploads, takeUpload),
  mediaRoute('GET', image, [], sendImage),
  mediaRoute('DELETE', image, [signedInPerson, adminOnly], takeDown),
]

async function takeUpload({
  deps,
  request,
  person,
}: MediaCall & { person: Person }): Promise<Response> {
  const imageUrl = await deps.media.saveUpload(person.id, await readUpload(request))
  return Response.json({ imageUrl }, { status: 201, headers: { 'Cache-Control': 'no-store' } })
}

async function sendImage({ deps, request, params }: MediaCall): Promise<Response> {
  const hash = hashIn(params)
  const headers = {
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    ETag: `"${hash}"`,
  }
  const bytes = orThrow(await deps.media.read(hash), httpErrors.notFound)
  if (request.headers.get('if-none-match')?.includes(headers.ETag)) {
    return new Response(null, { status: 304, headers })
  }
  return new Response(new Uint8Array(bytes), {
    headers: { ...headers, 'Content-Type': 'image/webp', 'Content-Length': String(bytes.length) },
  })
}

/** Removes an abusive image for everybody, from every popup and bio page; it cannot be uploaded again. */
async function takeDown({
  deps,
  info,
  params,
  person,
}: MediaCall & { person: Person }): Promise<Response> {
  const hash = hashIn(params)
  await deps.media.block(hash)
  info.log.info({ security: 'media taken down', hash, user_id: person.id }, 'media taken down')
  return new Response(null, { status: 204 })
}

function hashIn(params: MediaCall['params']): string {
  return (params['file'] ?? '').replace(/\.webp$/, '')
}

const imageTooLarge = () => new HttpError(413, 'Images may have at most 5 MB')

export function toMediaError(error: unknown): HttpError | undefined {
  return matchError(error, [
    BodyError,
    ({ status }) => (status === 413 ? imageTooLarge() : undefined),
  ])
}

/** Bytes that a form adds around its file. */
const formRoom = 16 * 1024

/**
 * The bytes of an upload: the body itself, or the first file of a `multipart/form-data` one. At most 5 MB are ever held,
 * and content types and file names are not trusted.
 *
 * @throws {BodyError | HttpError} 413, 400, 415
 */
async function readUpload(request: Request): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? ''
  const isForm = /^multipart\/form-data *;/i.test(type)
  if (!isForm && !/^(image\/|application\/octet-stream)/i.test(type)) {
    throw notAnImage()
  }
  const body = await readBytes(request, popupLimits.imageBytes + (isForm ? formRoom : 0))
  const file = isForm ? await fileIn(body, type) : body
  if (file.length > popupLimits.imageBytes) throw imageTooLarge()
  return file
}

async function fileIn(body: Uint8Array<ArrayBuffer>, type: string): Promise<Uint8Array> {
  let form: FormData
  try {
    form = await new Response(body, { headers: { 'content-type': type } }).formData()
  } catch {
    throw new BodyError(400, 'Body is not a valid form')
  }
  for (const value of form.values()) {
    if (typeof value !== 'string') return new Uint8Array(await value.arrayBuffer())
  }
  throw new BodyError(400, 'The form has no file')
}
