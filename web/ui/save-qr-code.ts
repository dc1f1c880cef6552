export const qrSizePixels = 200
/** Quiet zone of the standard (ISO/IEC 18004). */
export const qrQuietModules = 4

/**
 * Draws the code of the screen as a PNG of 200 by 200 with modules of whole pixels: scaled by a fraction their edges
 * would blur. The quiet zone takes the rest, never less than its four modules.
 */
export function savePng(shown: SVGSVGElement, name: string, color: string): void {
  saveFile(`${name}.png`, drawQrCode(shown, color).toDataURL('image/png'))
}

/** The bytes of such a PNG. */
export async function pngOf(shown: SVGSVGElement, color: string): Promise<Uint8Array> {
  const canvas = drawQrCode(shown, color)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (blob === null) throw new Error('no picture')
  return new Uint8Array(await blob.arrayBuffer())
}

function drawQrCode(shown: SVGSVGElement, color: string): HTMLCanvasElement {
  const cells = shown.viewBox.baseVal.width
  const modulePixels = Math.floor(qrSizePixels / cells)
  const offset = Math.floor((qrSizePixels - modulePixels * cells) / 2)
  const file = document.createElement('canvas')
  file.width = qrSizePixels
  file.height = qrSizePixels
  const context = file.getContext('2d')
  if (context === null) throw new Error('no canvas')
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, qrSizePixels, qrSizePixels)
  context.setTransform(modulePixels, 0, 0, modulePixels, offset, offset)
  context.fillStyle = color
  // The first path is the background.
  context.fill(new Path2D(shown.querySelector('path:last-of-type')?.getAttribute('d') ?? ''))
  return file
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
