import { encodePng } from './encode-png.ts'

export const qrSizePixels = 200
/** Quiet zone of the standard (ISO/IEC 18004). */
export const qrQuietModules = 4

/**
 * Draws the code of the screen as a PNG of 200 by 200 with modules of whole pixels: scaled by a fraction their edges
 * would blur. The quiet zone takes the rest, never less than its four modules.
 */
export function savePng(shown: SVGSVGElement, name: string, color: string): void {
  const bytes = pngOf(shown, color)
  saveFile(`${name}.png`, `data:image/png;base64,${btoa(String.fromCharCode(...bytes))}`)
}

/** The bytes of such a PNG. Browsers that resist fingerprinting read noise from a canvas, so it only answers where modules are. */
function pngOf(shown: SVGSVGElement, color: string): Uint8Array {
  const cells = shown.viewBox.baseVal.width
  const modulePixels = Math.floor(qrSizePixels / cells)
  const offset = Math.floor((qrSizePixels - modulePixels * cells) / 2)
  const context = document.createElement('canvas').getContext('2d')
  if (context === null) throw new Error('no canvas')
  // The first path is the background.
  const modules = new Path2D(shown.querySelector('path:last-of-type')?.getAttribute('d') ?? '')
  const cellOf = (pixel: number) => Math.floor((pixel - offset) / modulePixels) + 0.5
  return encodePng(qrSizePixels, color, (x, y) =>
    context.isPointInPath(modules, cellOf(x), cellOf(y)),
  )
}

export function saveSvg(shown: SVGSVGElement, name: string): void {
  const text = new XMLSerializer().serializeToString(shown)
  saveFile(`${name}.svg`, `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`)
}

function saveFile(name: string, href: string): void {
  const link = document.createElement('a')
  link.download = name
  link.href = href
  link.click()
}
