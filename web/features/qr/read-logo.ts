import { qrLimits } from '#domain/qr/qr-look.ts'

/** A file that cannot be a logo, in a sentence for the person. */
export class LogoProblem extends Error {}

const maxFileBytes = 5 * 1024 * 1024
const leastSide = 16
/** Sides of the stored picture in pixels, largest first: the first one that is small enough is taken. */
const sides = [256, 192, 128, 96, 64]

/**
 * A picture file as a square PNG: the first frame of an animation, an SVG as its drawing, so that no script of it stays.
 *
 * @throws {LogoProblem}
 */
export async function readLogo(file: File): Promise<string> {
  if (file.size > maxFileBytes) throw new LogoProblem('A logo has at most 5 MB.')
  const image = await imageOf(file)
  // An SVG may have no size.
  const width = image.naturalWidth || sides[0] || 0
  const height = image.naturalHeight || sides[0] || 0
  if (Math.max(width, height) < leastSide)
    throw new LogoProblem(`A logo is at least ${leastSide} pixels wide or high.`)
  for (const side of sides) {
    const logo = drawn(image, side, side / Math.max(width, height), { width, height })
    if (logo.length <= qrLimits.logo) return logo
  }
  throw new LogoProblem('This picture has too much detail for a logo. Choose a simpler one.')
}

async function imageOf(file: File): Promise<HTMLImageElement> {
  const image = new Image()
  const address = URL.createObjectURL(file)
  image.src = address
  try {
    await image.decode()
    return image
  } catch {
    throw new LogoProblem('This file is not a picture that this browser can read.')
  } finally {
    URL.revokeObjectURL(address)
  }
}

function drawn(
  image: HTMLImageElement,
  side: number,
  scale: number,
  size: { width: number; height: number },
): string {
  const canvas = document.createElement('canvas')
  canvas.width = side
  canvas.height = side
  const context = canvas.getContext('2d')
  if (context === null) throw new LogoProblem('This browser cannot draw the picture.')
  context.imageSmoothingQuality = 'high'
  const [width, height] = [size.width * scale, size.height * scale]
  context.drawImage(image, (side - width) / 2, (side - height) / 2, width, height)
  const { data } = context.getImageData(0, 0, side, side)
  if (data.every((value, at) => at % 4 !== 3 || value < 8))
    throw new LogoProblem('This picture is transparent everywhere.')
  return canvas.toDataURL('image/png')
}
