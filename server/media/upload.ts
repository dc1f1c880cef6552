import { popupLimits } from '#domain/popup-form.ts'
import { BodyError, BodyTooLargeError, readBytes } from '../http/body.ts'
import { notAnImage } from './image.ts'

/** What a form adds around its file. */
const formRoom = 16 * 1024

/**
 * The bytes of an upload: the body itself, or the first file of a `multipart/form-data` one. At most 5 MB are ever held,
 * and what the content type or a file name says is not believed.
 *
 * @throws {BodyTooLargeError | BodyError | ImageError} 413, 400, 415
 */
export async function readUpload(request: Request): Promise<Uint8Array> {
  const type = request.headers.get('content-type') ?? ''
  const isForm = /^multipart\/form-data *;/i.test(type)
  if (!isForm && !/^(image\/|application\/octet-stream)/i.test(type)) {
    throw notAnImage()
  }
  const body = await readBytes(request, popupLimits.imageBytes + (isForm ? formRoom : 0))
  const file = isForm ? await fileIn(body, type) : body
  if (file.length > popupLimits.imageBytes) throw new BodyTooLargeError('Image is too large')
  return file
}

async function fileIn(body: Uint8Array<ArrayBuffer>, type: string): Promise<Uint8Array> {
  let form: FormData
  try {
    form = await new Response(body, { headers: { 'content-type': type } }).formData()
  } catch {
    throw new BodyError('Body is not a valid form')
  }
  for (const value of form.values()) {
    if (typeof value !== 'string') return new Uint8Array(await value.arrayBuffer())
  }
  throw new BodyError('The form has no file')
}
