import { readsCanvas } from '#web/forms/reads-canvas.ts'

/** As large as the circle of a bio page on a phone with three pixels a point, and a little more. */
const sidePixels = 384

/**
 * The middle of a picture as a small square: visitors see only that, and a photo has a hundred times the bytes. A picture that
 * this browser cannot read stays unchanged: the server reports its problem.
 */
export async function squarePicture(file: File): Promise<File> {
  const picture = await createImageBitmap(file).catch(() => null)
  if (picture === null) return file
  const from = Math.min(picture.width, picture.height)
  const side = Math.min(from, sidePixels)
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = side
  const [left, top] = [(picture.width - from) / 2, (picture.height - from) / 2]
  const context = canvas.getContext('2d')
  if (context === null || !readsCanvas()) return file
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, left, top, from, from, 0, 0, side, side)
  picture.close()
  const square = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  return square === null ? file : new File([square], file.name, { type: square.type })
}
