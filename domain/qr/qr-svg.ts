import type { QrDrawing } from './draw-qr.ts'

/** Faces of a caption, in the order in which a program takes them. */
export const captionFonts =
  'Geist Variable, Geist, Inter, Helvetica, Arial, DejaVu Sans, sans-serif'

/**
 * A drawing as an SVG document.
 *
 * @param width in pixels; the height follows
 */
export function qrSvg(drawing: QrDrawing, width: number, title?: string): string {
  const height = round((width * drawing.height) / drawing.width)
  const { shapes, logo, texts } = drawing
  const parts = [
    title === undefined ? '' : `<title>${escapeXml(title)}</title>`,
    `<rect width="100%" height="100%" fill="${drawing.background}"/>`,
    ...shapes.map(({ d, fill }) => `<path fill="${fill}" fill-rule="evenodd" d="${d}"/>`),
    logo === undefined
      ? ''
      : `<image href="${logo.href}" x="${logo.x}" y="${logo.y}" width="${logo.size}" height="${logo.size}"/>`,
    ...texts.map(
      ({ text, x, y, size, fill }) =>
        `<text x="${round(x)}" y="${round(y)}" text-anchor="middle" font-family="${captionFonts}" font-size="${round(size)}" font-weight="600" fill="${fill}">${escapeXml(text)}</text>`,
    ),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${drawing.width} ${drawing.height}">${parts.join('')}</svg>`
}

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
