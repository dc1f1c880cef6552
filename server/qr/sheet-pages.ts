import {
  dotsPerMm,
  labelFit,
  type LabelFormat,
  type LabelFit,
  tooDenseSentence,
} from '#domain/qr/labels.ts'
import { roundedBox } from '#domain/qr/cell-paths.ts'
import { drawQr, type QrDrawing } from '#domain/qr/draw-qr.ts'
import type { QrLook } from '#domain/qr/qr-look.ts'
import { HttpError } from '../http/errors.ts'
import { type PdfItem, type PdfPages, pointsPerMm } from '../pdf/pdf-pages.ts'

/** A code and its caption, on as many labels as wanted. */
export interface SheetCode {
  scanned: string
  caption: string
}

export interface Sheet {
  format: LabelFormat
  look: QrLook
  codes: readonly SheetCode[]
  copies: number
  /** The first label of the first sheet, from 1. */
  start: number
  /** Millimeters by which all labels move. */
  offset: { x: number; y: number }
}

type Point = Readonly<Record<'x' | 'y', number>>

/** Sheets, or one page for each label of a printer. @throws {HttpError} 422 about a code that the format cannot hold */
export async function sheetPages(sheet: Sheet): Promise<PdfPages> {
  const { format, copies, start } = sheet
  const perPage = format.columns * format.rows
  const pages: PdfItem[][] = []
  let at = start - 1
  for (const code of sheet.codes) {
    const { drawing, fit } = fitted(sheet, code)
    for (let copy = 0; copy < copies; copy++, at++) {
      const page = Math.floor(at / perPage)
      pages[page] ??= []
      pages[page].push(...itemsOf(sheet, code, drawing, fit, corner(sheet, at % perPage)))
    }
    // Other requests come between: a thousand codes take seconds.
    await new Promise(setImmediate)
  }
  return pagesOf(format, `${format.name} labels`, pages)
}

function pagesOf(
  { page: { width, height } }: LabelFormat,
  title: string,
  pages: readonly PdfItem[][],
): PdfPages {
  return {
    title,
    pages: pages.map((items) => ({
      width: width * pointsPerMm,
      height: height * pointsPerMm,
      items,
    })),
  }
}

function fitted({ format, look }: Sheet, { scanned, caption }: SheetCode) {
  const drawing = drawQr(scanned, { ...look, frame: 'none' })
  const fit = labelFit(format, drawing.width, caption !== '')
  if ('tooDense' in fit) throw new HttpError(422, tooDenseSentence(format, fit))
  return { drawing, fit }
}

/** The upper left of a label. */
function corner({ format, offset }: Pick<Sheet, 'format' | 'offset'>, index: number): Point {
  const { columns, left, top, pitch } = format
  return {
    x: left + (index % columns) * pitch.x + offset.x,
    y: top + Math.floor(index / columns) * pitch.y + offset.y,
  }
}

const onDot = (millimeters: number) => Math.round(millimeters * dotsPerMm) / dotsPerMm

function itemsOf(
  { format }: Sheet,
  { caption }: SheetCode,
  drawing: QrDrawing,
  fit: LabelFit,
  { x, y }: Point,
): PdfItem[] {
  const code: PdfItem = {
    kind: 'code',
    drawing,
    x: onDot(x + fit.code.x) * pointsPerMm,
    y: onDot(y + fit.code.y) * pointsPerMm,
    scale: fit.cell * pointsPerMm,
  }
  const box = fit.caption
  if (box === undefined) return [code]
  return [
    code,
    {
      kind: 'caption',
      text: caption,
      x: (x + box.x) * pointsPerMm,
      y: (y + box.y) * pointsPerMm,
      width: box.width * pointsPerMm,
      height: box.height * pointsPerMm,
      align: box.align,
      largest: format.label.height > 35 ? 14 : 10,
    },
  ]
}

const ink = '#000000'
const rulerLength = 50

/** A page with the outlines of all labels, a ruler, and how to print it. */
export function testPage(format: LabelFormat, offset: Point): PdfPages {
  const { columns, rows, label, radius, page } = format
  const round = [radius, radius, radius, radius] as const
  const outlines = Array.from({ length: columns * rows }, (_, index): PdfItem => {
    const { x, y } = corner({ format, offset }, index)
    return {
      kind: 'shape',
      d: roundedBox(0, 0, label.width, label.height, round),
      x: x * pointsPerMm,
      y: y * pointsPerMm,
      scale: pointsPerMm,
      stroke: ink,
      strokeWidth: 0.15,
    }
  })
  const length = Math.min(rulerLength, Math.floor((page.width - 4) / 10) * 10)
  const left = (page.width - length) / 2
  const middle = page.height / 2
  const ticks = Array.from(
    { length: length / 10 + 1 },
    (_, index) => `M${index * 10} 0v${index * 10 === length || index === 0 ? 3 : 2}`,
  )
  const words = (text: string, y: number): PdfItem => ({
    kind: 'words',
    text,
    x: (page.width / 2) * pointsPerMm,
    y: y * pointsPerMm,
    size: 8,
    color: ink,
    align: 'center',
    bold: true,
    room: (page.width - 2) * pointsPerMm,
    shrinks: true,
  })
  const at = { x: left * pointsPerMm, y: middle * pointsPerMm, scale: pointsPerMm }
  return pagesOf(format, `${format.name} test page`, [
    [
      ...outlines,
      {
        kind: 'shape',
        d: roundedBox(-2, -6, length + 4, 15, [2, 2, 2, 2]),
        ...at,
        fill: '#ffffff',
      },
      {
        kind: 'shape',
        d: `M0 0h${length}${ticks.join('')}`,
        ...at,
        stroke: ink,
        strokeWidth: 0.25,
      },
      words('print at 100 %', middle - 2),
      words(`${format.name}: this line is ${length} mm long`, middle + 6.5),
    ],
  ])
}
