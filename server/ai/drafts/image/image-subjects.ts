import type { Inks, Stage } from './image-backdrops.ts'

/** The inside of a 32 by 32 SVG, and the box in it that the drawing fills. */
export interface Drawing {
  body: string
  box: { x: number; y: number; width: number; height: number }
}

interface Place {
  x: number
  /** Of the longer side, in pixels. */
  size: number
  /** In pixels, above the floor or above the middle of the picture. */
  lift: number
  turn: number
}

/** By the number of drawings, the main one first. */
const onFloor: readonly (readonly Place[])[] = [
  [],
  [{ x: 600, size: 430, lift: 0, turn: 0 }],
  [
    { x: 455, size: 390, lift: 0, turn: 0 },
    { x: 770, size: 290, lift: 6, turn: 0 },
  ],
  [
    { x: 600, size: 380, lift: 0, turn: 0 },
    { x: 330, size: 240, lift: 10, turn: 0 },
    { x: 870, size: 240, lift: 10, turn: 0 },
  ],
]
const floating: readonly (readonly Place[])[] = [
  [],
  [{ x: 600, size: 410, lift: 0, turn: -3 }],
  [
    { x: 510, size: 340, lift: 15, turn: -4 },
    { x: 745, size: 240, lift: -75, turn: 8 },
  ],
  [
    { x: 600, size: 330, lift: 25, turn: 0 },
    { x: 400, size: 200, lift: -80, turn: -8 },
    { x: 800, size: 200, lift: -80, turn: 8 },
  ],
]

/** Places up to three drawings with their shadows; the main one is in front. */
export function arrangeSubjects(
  drawings: readonly Drawing[],
  { floorY }: Stage,
  { shadow }: Inks,
): string {
  const places = (floorY === undefined ? floating : onFloor)[drawings.length] ?? []
  const placed = drawings.flatMap(({ body, box }, index) => {
    const place = places[index]
    if (!place) return []
    const { x, size, lift, turn } = place
    const scale = size / Math.max(box.width, box.height)
    const [width, height] = [box.width * scale, box.height * scale]
    const bottom = floorY === undefined ? 400 - lift + height / 2 : floorY - lift
    const [left, top] = [x - width / 2, bottom - height]
    const shade =
      floorY === undefined
        ? `<ellipse cx="${x}" cy="${bottom + 22}" rx="${width * 0.36}" ry="${width * 0.045}" fill="${shadow}" opacity=".13"/>`
        : `<ellipse cx="${x}" cy="${bottom - 4}" rx="${width * 0.6}" ry="${width * 0.085}" fill="url(#hp-shadow)"/>`
    return `${shade}<g transform="rotate(${turn} ${x} ${top + height / 2}) translate(${left - box.x * scale} ${top - box.y * scale}) scale(${scale})">${body}</g>`
  })
  return placed.toReversed().join('')
}
