import type { Inks, Stage } from './image-backdrops.ts'

interface Place {
  x: number
  size: number
  /** How far above the floor the thing stands, or above the middle it floats. */
  lift: number
  turn: number
}

/** By the number of things; drawn in this order, so the last one is in front. */
const onFloor: readonly (readonly Place[])[] = [
  [],
  [{ x: 600, size: 400, lift: 0, turn: 0 }],
  [
    { x: 725, size: 290, lift: 0, turn: 0 },
    { x: 480, size: 370, lift: 0, turn: 0 },
  ],
  [
    { x: 840, size: 250, lift: 8, turn: 0 },
    { x: 360, size: 250, lift: 8, turn: 0 },
    { x: 600, size: 370, lift: 0, turn: 0 },
  ],
]
const floating: readonly (readonly Place[])[] = [
  [],
  [{ x: 600, size: 400, lift: 0, turn: -4 }],
  [
    { x: 745, size: 260, lift: -60, turn: 9 },
    { x: 520, size: 360, lift: 20, turn: -5 },
  ],
  [
    { x: 800, size: 220, lift: -50, turn: 10 },
    { x: 400, size: 220, lift: -50, turn: -10 },
    { x: 600, size: 340, lift: 25, turn: 0 },
  ],
]

/** Places the drawings, the first one largest, each with the shadow that it casts. */
export function arrangeSubjects(
  drawings: readonly string[],
  { floorY, isFloor }: Stage,
  { shadow }: Inks,
): string {
  const places = (isFloor ? onFloor : floating)[drawings.length] ?? []
  // The first subject is the main one and is drawn last, in front.
  const order = [...drawings.slice(1), ...drawings.slice(0, 1)]
  return places
    .map(({ x, size, lift, turn }, index) => {
      // The drawings leave about one of their 32 units free below.
      const bottom = isFloor ? floorY - lift + size / 32 : 400 - lift + size / 2
      const y = bottom - size
      const shade = isFloor
        ? `<ellipse cx="${x}" cy="${bottom - size / 26}" rx="${size * 0.48}" ry="${size * 0.075}" fill="url(#hp-shadow)"/>`
        : `<ellipse cx="${x}" cy="${bottom + size * 0.02}" rx="${size * 0.36}" ry="${size * 0.05}" fill="${shadow}" opacity=".14"/>`
      const scale = size / 32
      return `${shade}<g transform="rotate(${turn} ${x} ${y + size / 2}) translate(${x - size / 2} ${y}) scale(${scale})">${order[index] ?? ''}</g>`
    })
    .join('')
}
