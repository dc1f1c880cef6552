/** A visited name is held with its place (decision 0017). */
export const neverResets =
  'Never resets. Deleted links free their slot, clicked ones after 30 days.'

const day = 86_400_000

/** When the daily counters start again, midnight UTC, in the person's own time: `tomorrow at 02:00 (midnight UTC)`. */
export function resetTime(now: number): string {
  const reset = new Date((Math.floor(now / day) + 1) * day)
  const word = reset.getDate() === new Date(now).getDate() ? 'today' : 'tomorrow'
  const time = reset.toLocaleTimeString(undefined, { timeStyle: 'short' })
  return `${word} at ${time} (midnight UTC)`
}

/** Whole hours until then, rounded up. */
export function hoursToReset(now: number): number {
  return Math.ceil((day - (now % day)) / 3_600_000)
}
