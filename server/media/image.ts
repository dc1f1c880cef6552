import sharp from 'sharp'
import { HttpError } from '../http/errors.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { createWaitingRoom } from '../primitives/waiting-room.ts'

/** Not an image that is taken. */
export class ImageError extends HttpError {
  name = 'ImageError'
}

export const notAnImage = () => new ImageError(415, 'Please upload a PNG, JPEG or WebP image')

/** Longest side, in pixels. */
const maxSidePixels = 4096

/** Images decoded at one time, and those that may wait: one takes up to 64 MB while it is open. */
const maxParallel = 2
const maxWaiting = 20
/** Longer than the images before it take. */
const maxWaitMs = 5 * 60_000
const decoders = createWaitingRoom(maxParallel, maxWaiting)
const tooManyImages = () =>
  new ImageError(503, 'Too many images at once. Please try again.', { 'Retry-After': '5' })

sharp.cache(false)
sharp.concurrency(1)

/**
 * Decodes an image, recognized by its content (PNG, JPEG, WebP), turns it upright and encodes it as WebP. Everything else
 * in the file (metadata, trailing data, a second format) is gone.
 *
 * @throws {ImageError} 415 for anything else, 400 for a broken or too large image, 503 when too many wait
 */
export async function reencode(file: Uint8Array): Promise<Buffer> {
  if (!isImage(file)) throw notAnImage()
  const leave = orThrow(await decoders.enter(maxWaitMs), tooManyImages)
  try {
    // The sides are checked below, with a reason that people can use.
    const image = sharp(file, { limitInputPixels: false, failOn: 'error' })
    // Reads the header only: a bomb is known before it is opened.
    const { width, height } = await image.metadata()
    if (width > maxSidePixels || height > maxSidePixels) {
      throw new ImageError(400, `Images may be at most ${maxSidePixels} pixels wide and high`)
    }
    return await image
      .autoOrient()
      .timeout({ seconds: 20 })
      .webp({ quality: 84, effort: 3 })
      .toBuffer()
  } catch (error) {
    if (error instanceof ImageError) throw error
    throw new ImageError(400, 'This image cannot be read')
  } finally {
    leave()
  }
}

function isImage(file: Uint8Array): boolean {
  const start = Buffer.from(file.buffer, file.byteOffset, Math.min(file.length, 16)).toString(
    'latin1',
  )
  return (
    start.startsWith('\x89PNG\r\n\x1a\n') ||
    start.startsWith('\xff\xd8\xff') ||
    (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP')
  )
}
