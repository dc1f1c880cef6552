import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import type { Pixels } from '#domain/qr/pixels.ts'
import { findProgram } from '../../scripts/debian-programs.mjs'
import { nodeLab, pixelsOf } from './node-lab.ts'

const run = promisify(execFile)
const pdftoppm = findProgram('pdftoppm')
export const hasPoppler = pdftoppm !== undefined

const dpi = 300
/** Pixels of a point. */
const pixelsPerPoint = dpi / 72

/** A word of a page, in points from the upper left. */
export interface PlacedWord {
  text: string
  left: number
  top: number
  right: number
  bottom: number
}

export interface RasterPage {
  picture: Buffer
  words: PlacedWord[]
}

/** The pages of a PDF as poppler prints them at 300 dpi, with their words. */
export async function rasterized(pdf: Uint8Array): Promise<RasterPage[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-pdf-'))
  try {
    const file = join(folder, 'file.pdf')
    await writeFile(file, pdf)
    await run(pdftoppm ?? '', ['-r', String(dpi), '-png', file, join(folder, 'page')])
    const { stdout } = await run(join(dirname(pdftoppm ?? ''), 'pdftotext'), ['-bbox', file, '-'], {
      maxBuffer: 64 * 1024 * 1024,
    })
    const words = stdout.split('<page ').slice(1).map(wordsOf)
    const names = (await readdir(folder)).filter((name) => name.endsWith('.png')).toSorted()
    return await Promise.all(
      names.map(async (name, index) => ({
        picture: await sharp(join(folder, name)).png().toBuffer(),
        words: words[index] ?? [],
      })),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

function wordsOf(page: string): PlacedWord[] {
  const pattern = /<word xMin="([^"]+)" yMin="([^"]+)" xMax="([^"]+)" yMax="([^"]+)">([^<]*)</g
  return [...page.matchAll(pattern)].map(([, left, top, right, bottom, text = '']) => ({
    text: text.replaceAll('&amp;', '&').replaceAll('&quot;', '"'),
    left: Number(left),
    top: Number(top),
    right: Number(right),
    bottom: Number(bottom),
  }))
}

interface Box {
  left: number
  top: number
  width: number
  height: number
}

/** Both decoders' texts of the code in a box, in points; undefined where one finds none. */
export async function decoded(picture: Buffer, box?: Box): Promise<(string | undefined)[]> {
  return decodedPixels(await pixelsOf(box ? cropped(picture, box) : sharp(picture)))
}

export async function decodedPixels(pixels: Pixels): Promise<(string | undefined)[]> {
  return Promise.all(Object.values(nodeLab.decoders).map((decode) => decode(pixels)))
}

/** Whether the ink of a page is red: white has as much of each color, and so has black. */
export async function isRed(picture: Buffer): Promise<boolean> {
  const [red, green] = (await sharp(picture).removeAlpha().toColorspace('srgb').stats()).channels
  return (red?.mean ?? 0) > (green?.mean ?? 0) + 5
}

function cropped(picture: Buffer, { left, top, width, height }: Box) {
  const [x, y] = [left, top].map((each) => Math.max(0, Math.round(each * pixelsPerPoint)))
  const [wide, high] = [width, height].map((each) => Math.floor(each * pixelsPerPoint))
  return sharp(picture).extract({ left: x ?? 0, top: y ?? 0, width: wide ?? 1, height: high ?? 1 })
}
