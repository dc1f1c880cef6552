import decodeQR from 'qr/decode.js'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import wasm from 'zxing-wasm/reader/zxing_reader.wasm?url'
import { checkQr, mendQr, type MendedQr, type QrLab, type QrVerdict } from '#domain/qr/check-qr.ts'
import type { QrDrawing } from '#domain/qr/draw-qr.ts'
import type { Pixels } from '#domain/qr/pixels.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import { paintOn } from './paint-qr.ts'

// A separate thread: a check draws and reads some twenty pictures. The policy of its file allows WebAssembly (decision 0074).

export interface CheckQuestion {
  id: number
  text: string
  look: QrLook
  /** Pixels a cell of the file that is downloaded. */
  exportScale: number
  /** Whether to look for changes that make the code safe. */
  isMend: boolean
}

export type CheckAnswer = { id: number } & (
  | { verdict: QrVerdict }
  | { mended: MendedQr | null }
  /** The browser gives noise in the place of pixels, or lacks something. */
  | { isBlind: true }
)

prepareZXingModule({ overrides: { locateFile: () => wasm } })

const lab: QrLab = {
  rasterize: async (drawing, scale) => pixelsOf(await drawn(drawing, scale)),
  jpeg: async (pixels) => {
    const { canvas, context } = canvasOf(pixels.width, pixels.height)
    context.putImageData(new ImageData(pixels.data, pixels.width, pixels.height), 0, 0)
    const file = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.6 })
    context.drawImage(await createImageBitmap(file), 0, 0)
    return pixelsOf(context)
  },
  decoders: {
    qr: (pixels) => Promise.resolve(readByQr(pixels)),
    zxing: async ({ width, height, data }) => {
      const [found] = await readBarcodes(new ImageData(data, width, height), {
        formats: ['QRCode'],
        tryInvert: false,
        tryRotate: false,
      })
      return found?.text
    },
  },
}

function readByQr(pixels: Pixels): string | undefined {
  try {
    return decodeQR(pixels)
  } catch {
    // It says by an error that there is no code.
    return undefined
  }
}

async function drawn(drawing: QrDrawing, scale: number) {
  const { context } = canvasOf(drawing.width * scale, drawing.height * scale)
  const { logo } = drawing
  paintOn(context, drawing, scale, logo && (await pictureOf(logo.href)))
  return context
}

function canvasOf(width: number, height: number) {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error('no canvas')
  return { canvas, context }
}

function pixelsOf(context: OffscreenCanvasRenderingContext2D): Pixels {
  const { width, height } = context.canvas
  const { data } = context.getImageData(0, 0, width, height)
  return { width, height, data: new Uint8ClampedArray(data) }
}

/** The policy of pages allows no request for a data URL. */
function pictureOf(href: string): Promise<ImageBitmap> {
  const bytes = Uint8Array.from(atob(href.slice(href.indexOf(',') + 1)), (each) =>
    each.charCodeAt(0),
  )
  return createImageBitmap(new Blob([bytes], { type: 'image/png' }))
}

/** Whether a canvas gives back the color that was drawn on it. */
function seesPixels(): boolean {
  const { context } = canvasOf(4, 4)
  context.fillStyle = '#4080c0'
  context.fillRect(0, 0, 4, 4)
  const { data } = context.getImageData(0, 0, 4, 4)
  return data.every((value, i) => Math.abs(value - ([64, 128, 192, 255][i % 4] ?? 0)) <= 4)
}

async function answer(question: CheckQuestion): Promise<CheckAnswer> {
  const { id, text, look, exportScale, isMend } = question
  if (!seesPixels()) return { id, isBlind: true }
  const check = (each: QrLook) => checkQr(text, each, exportScale, lab)
  if (!isMend) return { id, verdict: await check(look) }
  return { id, mended: (await mendQr(look, check)) ?? null }
}

self.addEventListener('message', ({ data }: MessageEvent<CheckQuestion>) => {
  void answer(data).then(
    (found) => self.postMessage(found),
    () => self.postMessage({ id: data.id, isBlind: true } satisfies CheckAnswer),
  )
})
