import { finderCells, isOfFinder, type QrCells } from './qr-cells.ts'
import type { QrLook } from './qr-look.ts'

type IsDark = (x: number, y: number) => boolean

/** Corner radii of a cell in clockwise order from the upper left, in cells. */
type Radii = readonly [number, number, number, number]

/** The radius of a dot: a gap of a twentieth of a cell on every side. */
const dotRadius = 0.45
const leafRadius = 0.4

/** All dark cells besides the corners' squares, as one SVG path. Cells are units; `offset` is the quiet zone's. */
export function cellsPath(
  cells: QrCells,
  shape: QrLook['cells'],
  offset: number,
  isLeftOut: IsDark,
): string {
  const size = cells.length
  const isDark: IsDark = (x, y) =>
    cells[y]?.[x] === true && !isOfFinder(x, y, size) && !isLeftOut(x, y)
  const parts: string[] = []
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue
      if (shape === 'squares') {
        const from = x
        while (isDark(x + 1, y)) x++
        const width = x + 1 - from
        parts.push(`M${from + offset} ${y + offset}h${width}v1h-${width}z`)
      } else parts.push(cellPath(shape, x, y, offset, isDark))
    }
  }
  return parts.join('')
}

function cellPath(
  shape: Exclude<QrLook['cells'], 'squares'>,
  x: number,
  y: number,
  offset: number,
  isDark: IsDark,
): string {
  const [left, top] = [x + offset, y + offset]
  if (shape === 'dots') return circle(left + 0.5, top + 0.5, dotRadius)
  if (shape === 'leaves') return box(left, top, 1, [leafRadius, 0, leafRadius, 0])
  // Cells that touch flow into each other.
  const [up, right, down, before] = [
    isDark(x, y - 1),
    isDark(x + 1, y),
    isDark(x, y + 1),
    isDark(x - 1, y),
  ]
  const radius = (a: boolean, b: boolean) => (a || b ? 0 : 0.5)
  return box(left, top, 1, [
    radius(up, before),
    radius(up, right),
    radius(down, right),
    radius(down, before),
  ])
}

/** Radii of the three nested squares of a corner: the outer edge, the inner edge, the square within. */
const finderRadii: Readonly<Record<QrLook['corners'], readonly [Radii, Radii, Radii]>> = {
  squares: [equal(0), equal(0), equal(0)],
  rounded: [equal(2), equal(1.2), equal(0.8)],
  circles: [equal(3.5), equal(2.5), equal(1.5)],
  leaves: [
    [2, 0, 2, 0],
    [1.2, 0, 1.2, 0],
    [0.8, 0, 0.8, 0],
  ],
}

/** The three large squares at the corners as one SVG path, to fill by the even-odd rule. */
export function findersPath(size: number, shape: QrLook['corners'], offset: number): string {
  const last = size - finderCells
  const [outer, inner, core] = finderRadii[shape]
  return [
    [0, 0],
    [last, 0],
    [0, last],
  ]
    .map(([x = 0, y = 0]) => {
      const [left, top] = [x + offset, y + offset]
      return (
        box(left, top, finderCells, outer) +
        box(left + 1, top + 1, finderCells - 2, inner) +
        box(left + 2, top + 2, finderCells - 4, core)
      )
    })
    .join('')
}

function equal(radius: number): Radii {
  return [radius, radius, radius, radius]
}

function circle(x: number, y: number, radius: number): string {
  const step = round(radius * 2)
  return `M${round(x - radius)} ${y}a${radius} ${radius} 0 1 1 ${step} 0a${radius} ${radius} 0 1 1 -${step} 0z`
}

/** A square with a radius for each corner. */
function box(left: number, top: number, size: number, [a, b, c, d]: Radii): string {
  return roundedBox(left, top, size, size, [a, b, c, d])
}

/** A rectangle as an SVG path, with a radius for each corner. */
export function roundedBox(
  left: number,
  top: number,
  width: number,
  height: number,
  [a, b, c, d]: Radii,
): string {
  const arc = (radius: number, dx: number, dy: number) =>
    radius === 0 ? '' : `a${radius} ${radius} 0 0 1 ${dx * radius} ${dy * radius}`
  return [
    `M${round(left + a)} ${round(top)}`,
    `h${round(width - a - b)}${arc(b, 1, 1)}`,
    `v${round(height - b - c)}${arc(c, -1, 1)}`,
    `h-${round(width - c - d)}${arc(d, -1, -1)}`,
    `v-${round(height - d - a)}${arc(a, 1, -1)}z`,
  ].join('')
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
