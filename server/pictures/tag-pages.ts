import { readableHost } from '#domain/links/destinations.ts'
import { hopShape, type Point } from '#domain/links/hop-print.ts'
import { roundedBox } from '#domain/qr/cell-paths.ts'
import type { QrDrawing } from '#domain/qr/draw-qr.ts'
import { type PdfItem, type PdfPages, pointsPerMm } from '../pdf/pdf-pages.ts'
import { type LinkTagView, tagColors, tagSize, tagWords } from './tag-picture.ts'

const widthMm = 100
/** Points of a pixel of the picture. */
const scale = (widthMm * pointsPerMm) / tagSize.width
const { paper, surface, line, ink, faint, accent } = tagColors
/** Room of the texts, to the perforation. */
const room = 650

/** The tag as a page of 100 by 52.5 mm. A title with letters that the fonts lack is left out. */
export function tagPages(view: LinkTagView): PdfPages {
  const { qrCode } = view
  const items = [
    ...cardItems(),
    ...printItems(view.code, 102, 112, 2.4),
    ...textItems(view),
    ...(qrCode === undefined
      ? printItems(view.code, 838, 237, 4.4)
      : [codeItem(qrCode, 836, 189, 252)]),
  ]
  const page = { width: tagSize.width * scale, height: tagSize.height * scale, items }
  return { title: view.code, pages: [page] }
}

const shape = (
  d: string,
  style: Omit<PdfItem & { kind: 'shape' }, 'kind' | 'd' | 'x' | 'y' | 'scale'>,
): PdfItem => ({
  kind: 'shape',
  d,
  x: 0,
  y: 0,
  scale,
  ...style,
})

/** The card, its perforation, and a notch at both ends of that. */
function cardItems(): PdfItem[] {
  const edge = { stroke: line, strokeWidth: 3 }
  return [
    shape(`M0 0h${tagSize.width}v${tagSize.height}h-${tagSize.width}z`, { fill: paper }),
    shape(roundedBox(60, 75, 1080, 480, [36, 36, 36, 36]), { fill: surface, ...edge }),
    shape('M780 102V528', { stroke: line, strokeWidth: 4, dash: [14, 10] }),
    shape('M760 72h40v3h-40zM760 555h40v3h-40z', { fill: paper }),
    shape('M760 75a20 20 0 0 0 40 0', { fill: paper, ...edge }),
    shape('M760 555a20 20 0 0 1 40 0', { fill: paper, ...edge }),
  ]
}

/** The hop print of the code. */
function printItems(code: string, x: number, y: number, size: number): PdfItem[] {
  const { arcs, landings, goal } = hopShape(code, 56, 36)
  const at = { kind: 'shape', x: x * scale, y: y * scale, scale: size * scale } as const
  return [
    { ...at, d: arcs, stroke: ink, strokeWidth: 2.2, isRound: true },
    { ...at, d: landings.map((point) => dot(point, 2)).join(''), fill: ink },
    { ...at, d: dot(goal, 3), fill: accent },
  ]
}

const dot = ({ x, y }: Point, radius: number) =>
  `M${x - radius} ${y}a${radius} ${radius} 0 1 1 ${2 * radius} 0a${radius} ${radius} 0 1 1 -${2 * radius} 0z`

function codeItem(drawing: QrDrawing, x: number, y: number, size: number): PdfItem {
  const cell = (size * scale) / drawing.width
  return { kind: 'code', drawing, x: x * scale, y: y * scale, scale: cell }
}

function textItems(view: LinkTagView): PdfItem[] {
  const { title, codeLines, codeSize, destination } = tagWords(view)
  const write = (
    text: string,
    [x, y]: readonly [number, number],
    size: number,
    color: string,
    isBold: boolean,
  ): PdfItem => ({
    kind: 'words',
    text,
    x: x * scale,
    y: y * scale,
    size: size * scale,
    color,
    bold: isBold,
    room: (110 + room - x) * scale,
    isOptional: true,
  })
  return [
    write(title, [260, 178], 34, ink, true),
    write(`${readableHost(view.publicUrl)}/`, [110, 300], 34, faint, false),
    ...codeLines.map((each, index) =>
      write(each, [110, 300 + (index + 1) * (codeSize + 8)], codeSize, ink, true),
    ),
    ...(destination === undefined
      ? []
      : [
          // Geist's files for Latin have no arrow.
          shape('M112 503h22m-8 -7l8 7l-8 7', { stroke: faint, strokeWidth: 2.4, isRound: true }),
          write(destination, [146, 512], 26, faint, false),
        ]),
  ]
}
