import type { QrDrawing } from '#domain/qr/draw-qr.ts'
import { captionFonts } from '#domain/qr/qr-svg.ts'

/** Paints a drawing with `scale` pixels a cell, on a page or in a thread. */
export function paintOn(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  drawing: QrDrawing,
  scale: number,
  logo: CanvasImageSource | undefined,
): void {
  context.scale(scale, scale)
  context.fillStyle = drawing.background
  context.fillRect(0, 0, drawing.width, drawing.height)
  for (const { d, fill } of drawing.shapes) {
    context.fillStyle = fill
    context.fill(new Path2D(d), 'evenodd')
  }
  if (drawing.logo !== undefined && logo !== undefined) {
    const { x, y, size } = drawing.logo
    context.drawImage(logo, x, y, size, size)
  }
  context.textAlign = 'center'
  for (const { text, x, y, size, fill } of drawing.texts) {
    context.font = `600 ${size}px ${captionFonts}`
    context.fillStyle = fill
    context.fillText(text, x, y)
  }
}
