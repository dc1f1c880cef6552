import { cellsPath, findersPath, roundedBox } from './cell-paths.ts'
import { qrCells } from './qr-cells.ts'
import { logoParts, type QrLook } from './qr-look.ts'
import { captionLines, type CaptionLine } from './caption-lines.ts'

/** A shape to fill by the even-odd rule. */
export interface QrShape {
  /** An SVG path. */
  d: string
  fill: string
}

/** A line of text, centered at x. */
export interface QrText extends CaptionLine {
  x: number
  /** Height of the letters' feet. */
  y: number
  fill: string
}

/** A QR code as shapes, in the order in which they are drawn. The unit is a cell of the code. */
export interface QrDrawing {
  width: number
  height: number
  background: string
  shapes: readonly QrShape[]
  logo?: { href: string; x: number; y: number; size: number }
  texts: readonly QrText[]
  /** The code with its quiet zone: a square in the drawing. */
  code: { x: number; y: number; size: number }
}

/** Room for a caption's line, its size, and the space around lines, as parts of the width. */
const lineHeight = 0.105
const letterSize = 0.078
const captionSpace = 0.05
/** Light rim of a logo, in cells. */
const logoRim = 0.5

/**
 * Draws a text as a QR code.
 *
 * @param caption words of the frame, instead of the look's own
 * @throws {QrTooLongError} if no code holds the text
 */
export function drawQr(text: string, look: QrLook, caption = look.caption): QrDrawing {
  const cells = qrCells(text)
  const size = cells.length + 2 * look.quiet
  const frame = caption === '' && look.frame !== 'ticket' ? 'none' : look.frame
  const border = frame === 'ticket' || frame === 'tab' ? Math.max(1, Math.round(size * 0.025)) : 0
  const width = size + 2 * border
  const logo = look.logo === null ? undefined : logoBox(cells.length, look)
  const offset = border + look.quiet
  const lines = frame === 'none' ? [] : captionLines(caption, width * 0.9, width * letterSize)
  const words = lines.length === 0 ? 0 : width * (lines.length * lineHeight + captionSpace)
  const height = size + 2 * border + Math.ceil(words)
  const shapes: QrShape[] = []
  if (frame === 'tab' || frame === 'ticket')
    shapes.push(...frameShapes(frame, { width, height, size, border }, look))
  shapes.push(
    {
      d: cellsPath(cells, look.cells, offset, (x, y) => logo !== undefined && isIn(logo, x, y)),
      fill: look.color,
    },
    { d: findersPath(cells.length, look.corners, offset), fill: look.cornerColor },
  )
  // Words below a code without an edge may use half of its quiet zone.
  const first = border + size - (frame === 'caption' ? look.quiet / 2 : 0)
  return {
    width,
    height,
    background: look.background,
    shapes,
    ...(logo === undefined || look.logo === null
      ? {}
      : {
          logo: {
            href: look.logo,
            x: logo.from + offset + logoRim,
            y: logo.from + offset + logoRim,
            size: logo.size - 2 * logoRim,
          },
        }),
    texts: lines.map((line, index) => ({
      ...line,
      x: width / 2,
      y: first + width * (captionSpace / 2 + lineHeight * (index + 0.72)),
      fill: frame === 'tab' ? look.background : look.color,
    })),
    code: { x: border, y: border, size },
  }
}

interface LogoBox {
  /** The first cell that the logo and its rim cover, in both directions. */
  from: number
  size: number
}

/** Centered, a whole number of cells. */
function logoBox(count: number, { logoSize }: QrLook): LogoBox {
  const wanted = Math.max(3, Math.round(count * logoParts[logoSize]))
  const size = (count - wanted) % 2 === 0 ? wanted : wanted - 1
  return { from: (count - size) / 2, size }
}

function isIn({ from, size }: LogoBox, x: number, y: number): boolean {
  const inside = (at: number) => at >= from && at < from + size
  return inside(x) && inside(y)
}

/** The part of a code's cells that its logo and the rim around it cover, from 0 to 1. */
export function coveredPart(text: string, look: QrLook): number {
  if (look.logo === null) return 0
  const count = qrCells(text).length
  return (logoBox(count, look).size / count) ** 2
}

function frameShapes(
  frame: 'tab' | 'ticket',
  { width, height, size, border }: { width: number; height: number; size: number; border: number },
  { color, background }: QrLook,
): QrShape[] {
  const outer = border * 3
  const edge = { d: roundedBox(0, 0, width, height, [outer, outer, outer, outer]), fill: color }
  if (frame === 'tab') {
    const inner = border * 2
    return [
      edge,
      {
        d: roundedBox(border, border, size, size, [inner, inner, inner, inner]),
        fill: background,
      },
    ]
  }
  const line = border / 2
  const inner = outer - line
  const paper = {
    d: roundedBox(line, line, width - border, height - border, [inner, inner, inner, inner]),
    fill: background,
  }
  if (height <= width) return [edge, paper]
  // The line where a ticket is torn.
  const y = border + size
  const dash = width / 40
  const dashes = Array.from(
    { length: 18 },
    (_, index) => `M${dash * (2.5 + 2 * index)} ${y}h${dash}v${line / 2}h-${dash}z`,
  )
  return [edge, paper, { d: dashes.join(''), fill: color }]
}
