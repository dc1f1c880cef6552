/** A round number at or above the highest bar; its half is whole. */
export function highestOf(rows: readonly { clicks: number }[]): number {
  const highest = Math.max(2, ...rows.map(({ clicks }) => clicks))
  const power = 10 ** Math.floor(Math.log10(highest))
  const steps = power === 1 ? [2, 4, 6, 8, 10] : [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10]
  return Math.round((steps.find((step) => step * power >= highest) ?? 10) * power)
}

/** The bars that are labeled: the first, the last, and two between them that have room on a phone. */
export function dayLabels(
  count: number,
): readonly { index: number; anchor: 'start' | 'middle' | 'end' }[] {
  if (count === 0) return []
  if (count < 4) return [{ index: 0, anchor: 'start' }]
  const last = count - 1
  return [
    { index: 0, anchor: 'start' },
    { index: Math.round(last / 3), anchor: 'middle' },
    { index: Math.round((2 * last) / 3), anchor: 'middle' },
    { index: last, anchor: 'end' },
  ]
}
