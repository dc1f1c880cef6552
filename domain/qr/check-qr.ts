import { mixed, contrast } from '#domain/colors.ts'
import { drawQr, type QrDrawing } from './draw-qr.ts'
import { QrTooLongError } from './qr-cells.ts'
import { blurred, type Pixels, turned } from './pixels.ts'
import { contrastOf, type QrLook } from './qr-look.ts'

/** The tools of a check: a browser's, or those of Node in tests. */
export interface QrLab {
  /** Draws with `scale` pixels a cell. */
  rasterize: (drawing: QrDrawing, scale: number) => Promise<Pixels>
  /** Compresses as a JPEG of quality 60, and back. */
  jpeg: (pixels: Pixels) => Promise<Pixels>
  /** Readers of a code by their names; undefined if they find none. */
  decoders: Readonly<Record<string, (pixels: Pixels) => Promise<string | undefined>>>
}

/** Why a code is not called safe. */
export type QrProblem = 'inverted' | 'pale' | 'unread' | 'too_long'

export interface QrVerdict {
  /** The smallest print that both decoders read in every variant; none of a code that is not safe. */
  smallest?: { millimeters: number; dots: number }
  problem?: QrProblem
  /** Contrast of the paler color with the background. */
  contrast: number
}

const printDpi = 300
/** Printer dots of a cell at 300 dpi, of the prints that are tried: from 0.34 mm to 1.02 mm. */
const printDots = [4, 5, 6, 7, 8, 10, 12] as const
/** The least contrast: ink that is paler on paper fails many cameras, though a decoder reads the file. */
const leastContrast = 3
const mendedContrast = 7
const turnDegrees = 12
const otherTurnDegrees = -33

/** The width of a print in millimeters, with its quiet zone. */
function printWidth(cells: number, dots: number): number {
  return (cells * dots * 25.4) / printDpi
}

/**
 * Reads a code as a camera could see it.
 *
 * @param exportScale pixels a cell of the file that is downloaded
 */
export async function checkQr(
  text: string,
  look: QrLook,
  exportScale: number,
  lab: QrLab,
): Promise<QrVerdict> {
  const ratio = contrastOf(look)
  if (ratio < 0) return { contrast: -ratio, problem: 'inverted' }
  if (ratio < leastContrast) return { contrast: ratio, problem: 'pale' }
  let drawing: QrDrawing
  try {
    drawing = drawQr(text, look)
  } catch (error) {
    if (error instanceof QrTooLongError) return { contrast: ratio, problem: 'too_long' }
    throw error
  }
  const exported = await lab.rasterize(drawing, exportScale)
  const dots = (await isRead(exported, text, lab))
    ? await smallestDots(drawing, text, lab)
    : undefined
  if (dots === undefined) return { contrast: ratio, problem: 'unread' }
  const millimeters = printWidth(drawing.code.size, dots)
  return { contrast: ratio, smallest: { millimeters, dots } }
}

/** The larger of the first two prints in a row that pass: another program draws edges a little differently. */
async function smallestDots(
  drawing: QrDrawing,
  text: string,
  lab: QrLab,
): Promise<number | undefined> {
  // Most codes that fail at all fail here.
  if (!(await passes(drawing, text, printDots.at(-1) ?? 0, lab))) return undefined
  let passed = 0
  for (const dots of printDots) {
    passed = (await passes(drawing, text, dots, lab)) ? passed + 1 : 0
    if (passed === 2) return dots
  }
  return undefined
}

/** Whether both decoders read a print: plain, blurred by half a cell, turned in two ways, and as JPEG. */
async function passes(
  drawing: QrDrawing,
  text: string,
  dots: number,
  lab: QrLab,
): Promise<boolean> {
  const printed = await lab.rasterize(drawing, dots)
  const variants = [
    () => printed,
    () => blurred(printed, dots / 2),
    () => turned(printed, turnDegrees),
    () => turned(printed, otherTurnDegrees),
    () => lab.jpeg(printed),
  ]
  for (const variant of variants) {
    if (!(await isRead(await variant(), text, lab))) return false
  }
  return true
}

async function isRead(pixels: Pixels, text: string, { decoders }: QrLab): Promise<boolean> {
  for (const decode of Object.values(decoders)) {
    if ((await decode(pixels)) !== text) return false
  }
  return true
}

/** A change that made a code readable, in the order in which they are tried. */
export const qrMends = ['darker', 'quiet', 'smaller_logo', 'plainer', 'no_logo'] as const
export type QrMend = (typeof qrMends)[number]

export interface MendedQr {
  look: QrLook
  mends: readonly QrMend[]
}

/** Changes a look as little as it takes until its code is safe; undefined if nothing helps, as with a text that is too long. */
export async function mendQr(
  look: QrLook,
  check: (look: QrLook) => Promise<QrVerdict>,
): Promise<MendedQr | undefined> {
  let mended = look
  const mends: QrMend[] = []
  for (const mend of qrMends) {
    for (const next of stepsOf(mend, mended)) {
      mended = next
      if (mends.at(-1) !== mend) mends.push(mend)
      if ((await check(mended)).smallest !== undefined) return { look: mended, mends }
    }
  }
  return undefined
}

function stepsOf(mend: QrMend, look: QrLook): QrLook[] {
  if (mend === 'darker') return contrastOf(look) < mendedContrast ? [darker(look)] : []
  if (mend === 'quiet') return look.quiet < 6 ? [{ ...look, quiet: 6 }] : []
  if (mend === 'plainer') return plainer(look)
  if (look.logo === null) return []
  if (mend === 'no_logo') return [{ ...look, logo: null }]
  const smaller = { large: ['medium', 'small'], medium: ['small'], small: [] } as const
  return smaller[look.logoSize].map((logoSize) => ({ ...look, logoSize }))
}

/** The colors with as much black as the contrast needs, on a background that is light enough. */
function darker(look: QrLook): QrLook {
  const background =
    contrast(look.background, '#000000') < mendedContrast + 4
      ? mixed(look.background, '#ffffff', 10)
      : look.background
  const dark = (color: string) => {
    for (let percent = 100; percent > 0; percent -= 10) {
      const mix = mixed(color, '#000000', percent)
      if (contrast(mix, background) >= mendedContrast && isDarker(mix, background)) return mix
    }
    return '#000000'
  }
  return { ...look, background, color: dark(look.color), cornerColor: dark(look.cornerColor) }
}

function isDarker(color: string, background: string): boolean {
  return contrast(color, '#ffffff') > contrast(background, '#ffffff')
}

function plainer(look: QrLook): QrLook[] {
  const steps: QrLook[] = []
  if (look.cells === 'dots' || look.cells === 'leaves') steps.push({ ...look, cells: 'rounded' })
  if (look.cells !== 'squares' || look.corners !== 'squares')
    steps.push({ ...look, cells: 'squares', corners: 'squares' })
  return steps
}
