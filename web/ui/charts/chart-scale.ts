/** A round number at or above a count; its half is whole. */
export function roundUp(count: number): number {
  if (count <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(count))
  const steps = power === 1 ? [2, 4, 6, 8, 10] : [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10]
  return Math.round((steps.find((step) => step * power >= count) ?? 10) * power)
}

/** The step between the labels that have room: 2 for every second label. */
export function labelStep(count: number, width: number, labelWidth: number): number {
  return Math.max(1, Math.ceil((count * labelWidth) / Math.max(1, width)))
}
