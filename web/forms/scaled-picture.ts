import { popupLimits } from '#domain/popups/popup-limits.ts'
import { readsCanvas } from './reads-canvas.ts'

/** Longest side of a stored picture, in pixels: wider than any popup, on a screen with three pixels a point. */
const maxSidePixels = 2_400

/**
 * A picture that fits the server's limits: photos of phones have more pixels and bytes. One that fits already, or that this
 * browser cannot read, stays unchanged: the server reports its problem.
 */
export async function scaledPicture(file: File): Promise<File> {
  const picture = await createImageBitmap(file).catch(() => null)
  if (picture === null) return file
  const { width, height } = picture
  const scale = Math.min(1, maxSidePixels / Math.max(width, height))
  if (scale === 1 && file.size <= popupLimits.imageBytes) return file
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(width * scale))
  canvas.height = Math.max(1, Math.round(height * scale))
  const context = canvas.getContext('2d')
  if (context === null || !readsCanvas()) return file
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  // Photos have no transparent parts. Safari writes no WebP: it answers with a PNG, which may be too large.
  const kinds = file.type === 'image/jpeg' ? ['image/jpeg'] : ['image/webp', 'image/jpeg']
  for (const kind of kinds) {
    const scaled = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, kind, 0.9))
    if (scaled !== null && scaled.size <= popupLimits.imageBytes)
      return new File([scaled], file.name, { type: scaled.type })
  }
  return file
}
