import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import decodeQR from 'qr/decode.js'
import sharp, { type Sharp } from 'sharp'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import type { QrLab } from '#domain/qr/check-qr.ts'
import type { Pixels } from '#domain/qr/pixels.ts'
import { qrSvg } from '#domain/qr/qr-svg.ts'

const { resolve } = createRequire(import.meta.url)
prepareZXingModule({
  overrides: {
    wasmBinary: new Uint8Array(await readFile(resolve('zxing-wasm/reader/zxing_reader.wasm')))
      .buffer,
  },
})

export async function pixelsOf(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture.ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data: new Uint8ClampedArray(data) }
}

/** The lab of the studio (web/features/qr/qr-lab.ts) with sharp in the place of a canvas. */
export const nodeLab: QrLab = {
  rasterize: (drawing, scale) =>
    pixelsOf(sharp(Buffer.from(qrSvg(drawing, drawing.width * scale))).flatten()),
  jpeg: async ({ data, width, height }) => {
    const raw = sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha()
    return pixelsOf(sharp(await raw.jpeg({ quality: 60 }).toBuffer()))
  },
  decoders: {
    qr: async (pixels) => {
      try {
        return decodeQR(pixels)
      } catch {
        return undefined
      }
    },
    zxing: async (pixels) => {
      const [found] = await readBarcodes(
        { ...pixels, colorSpace: 'srgb' },
        { formats: ['QRCode'], tryInvert: false, tryRotate: false },
      )
      return found?.text
    },
  },
}
