import type { QrDrawing } from '#domain/qr/draw-qr.ts'
import { qrSvg } from '#domain/qr/qr-svg.ts'
import { encodePng } from '#web/ui/encode-png.ts'
import { saveBlob } from '#web/ui/save-blob.ts'
import { paintOn } from './paint-qr.ts'

/** Width of the file that the specification describes. */
export const smallPixels = 200

/** Below it a camera may not tell cells apart. */
export const leastCellPixels = 4

/** Pixels of a cell in a file that is at least this wide: the canvas grows, cells never shrink or lose whole pixels. */
export function scaleFor({ width }: QrDrawing, pixels: number): number {
  return Math.max(leastCellPixels, Math.ceil(pixels / width))
}

/** Pixels of a cell in the small file. */
export function smallScale({ width }: QrDrawing): number {
  return Math.max(1, Math.floor(smallPixels / width))
}

/**
 * The small file: 200 by 200 pixels where the code fits, with cells of whole pixels; the quiet zone takes the rest. A drawing of one color
 * does not pass through a canvas, because browsers that resist fingerprinting read noise from one.
 */
export async function smallPng(drawing: QrDrawing): Promise<Blob> {
  const scale = smallScale(drawing)
  const [shape, ...others] = drawing.shapes
  const isSquare = drawing.width === drawing.height && drawing.width <= smallPixels
  const isPlain =
    isSquare &&
    drawing.logo === undefined &&
    drawing.texts.length === 0 &&
    drawing.background === '#ffffff' &&
    others.every(({ fill }) => fill === shape?.fill)
  if (!isPlain || shape === undefined) return qrPng(drawing, scale)
  const offset = Math.floor((smallPixels - drawing.width * scale) / 2)
  const paths = drawing.shapes.map(({ d }) => new Path2D(d))
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) throw new Error('no canvas')
  const cellOf = (pixel: number) => (pixel - offset + 0.5) / scale
  const bytes = encodePng(smallPixels, shape.fill, (x, y) =>
    paths.some((path) => context.isPointInPath(path, cellOf(x), cellOf(y), 'evenodd')),
  )
  return new Blob([bytes], { type: 'image/png' })
}

/** A PNG with `scale` pixels a cell. */
export async function qrPng(drawing: QrDrawing, scale: number): Promise<Blob> {
  const canvas = document.createElement('canvas')
  await paint(canvas, drawing, scale)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('no picture'))
      else resolve(blob)
    }, 'image/png')
  })
}

/** Paints on a canvas, which takes the size of the drawing at `scale` pixels a cell. */
async function paint(canvas: HTMLCanvasElement, drawing: QrDrawing, scale: number): Promise<void> {
  canvas.width = drawing.width * scale
  canvas.height = drawing.height * scale
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('no canvas')
  if (drawing.texts.length > 0) await document.fonts.ready
  paintOn(context, drawing, scale, drawing.logo && (await imageOf(drawing.logo.href)))
}

async function imageOf(href: string): Promise<HTMLImageElement> {
  const image = new Image()
  image.src = href
  await image.decode()
  return image
}

/** Pixels of the width of an SVG file where a program does not scale it. */
const svgPixels = 1_024

export function svgOf(drawing: QrDrawing, title: string): Blob {
  return new Blob([qrSvg(drawing, svgPixels, title)], { type: 'image/svg+xml' })
}

/** The two files that are one press away. */
export async function saveQr(drawing: QrDrawing, name: string, type: 'png' | 'svg'): Promise<void> {
  const file = type === 'png' ? await smallPng(drawing) : svgOf(drawing, name)
  saveBlob(file, `${name.replace('/', '-')}.${type}`)
}
