import type { QrDrawing } from '#domain/qr/draw-qr.ts'

/** A line of text; `y` is that of its letters' feet. It is cut to `room`, or shrunk to it with `shrinks`. */
interface PdfWords {
  kind: 'words'
  text: string
  x: number
  y: number
  size: number
  color: string
  align?: 'left' | 'center' | 'right'
  bold?: boolean
  room?: number
  shrinks?: boolean
  /** It is left out where the fonts lack a letter of it, instead of refused. */
  isOptional?: boolean
}

/** One to three lines in a box, as large as fits, the last one cut. */
interface PdfCaption {
  kind: 'caption'
  text: string
  x: number
  y: number
  width: number
  height: number
  align: 'left' | 'center'
  /** Size of the letters of a short one, in points. */
  largest: number
}

/** A QR code; `scale` is the width of a cell. The same drawing on several pages is in the file once. */
interface PdfCode {
  kind: 'code'
  drawing: QrDrawing
  x: number
  y: number
  scale: number
}

/** An SVG path with a fill by the even-odd rule, a stroke, or both. */
interface PdfShape {
  kind: 'shape'
  d: string
  x: number
  y: number
  scale: number
  fill?: string
  stroke?: string
  strokeWidth?: number
  dash?: readonly [number, number]
  isRound?: boolean
}

export type PdfItem = PdfWords | PdfCaption | PdfCode | PdfShape

/** Everything that a PDF of labels, of a QR code or of a tag shows, for the thread that draws it. Lengths are points from the upper left. */
export interface PdfPages {
  title: string
  pages: readonly { width: number; height: number; items: readonly PdfItem[] }[]
}

/** Points of a millimeter. */
export const pointsPerMm = 72 / 25.4
