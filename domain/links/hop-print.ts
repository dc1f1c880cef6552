/** The arcs of one code, in pixels of a box of `width` by `height`; y grows downward. */
export interface HopShape {
  width: number
  height: number
  /** The data of an SVG path: two or three arcs, one after the other. */
  arcs: string
  /** The start, and each landing before the last one. */
  landings: readonly Point[]
  /** The last landing, which is drawn in the accent color. */
  goal: Point
}

export interface Point {
  x: number
  y: number
}

/** Room at the edges for half of a stroke of 2.2 pixels, and for the dot of the goal with its radius of 3. */
const margin = 3.5

/**
 * Draws a short code as two or three hops. The same code has the same print on every machine, and a change of one character
 * gives another one: widths of 0.5 to 1.5 parts, heights of 0.22 to 0.62 of the box, at most 1.25 times their width.
 */
export function hopShape(code: string, width = 44, height = 40): HopShape {
  const next = numbersOf(code)
  const parts = Array.from({ length: next() < 0.5 ? 2 : 3 }, () => 0.5 + next())
  const unit = (width - 2 * margin) / parts.reduce((sum, part) => sum + part, 0)
  const y = height - margin - 2
  const landings = [{ x: margin, y }]
  let arcs = `M${margin} ${round(y)}`
  let x = margin
  for (const part of parts) {
    const step = part * unit
    const rise = Math.min((0.22 + 0.4 * next()) * height, 1.25 * step)
    // The top of such a curve is at three quarters of its control points.
    const top = round(y - rise / 0.75)
    arcs += `C${round(x + 0.12 * step)} ${top} ${round(x + 0.88 * step)} ${top} ${round(x + step)} ${round(y)}`
    x = round(x + step)
    landings.push({ x, y })
  }
  const goal = landings.pop() ?? { x, y }
  return { width, height, arcs, landings, goal }
}

/** The same print as the elements of an SVG with the size of the box, for places without React. Colors are CSS colors. */
export function hopMarkup(
  code: string,
  { width, height, ink, accent }: { width: number; height: number; ink: string; accent: string },
): string {
  const { arcs, landings, goal } = hopShape(code, width, height)
  const dots = landings.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="2" fill="${ink}"/>`)
  return `<path d="${arcs}" fill="none" stroke="${ink}" stroke-width="2.2" stroke-linecap="round"/>${dots.join('')}<circle cx="${goal.x}" cy="${goal.y}" r="3" fill="${accent}"/>`
}

/** Numbers from 0 to 1 that depend on the text alone: FNV-1a as the seed of mulberry32. */
function numbersOf(text: string): () => number {
  let state = 0x811c9dc5
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
