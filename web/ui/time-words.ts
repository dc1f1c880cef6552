const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function dayOf(instant: string): string {
  return day.format(new Date(instant))
}

export function momentOf(instant: string): string {
  return moment.format(new Date(instant))
}

/** Two moments, with shared parts once: Nov 22, 2026, 11:36 – 11:39 PM. */
export function momentsBetween(first: string, last: string): string {
  return moment.formatRange(new Date(first), new Date(last))
}

const minute = 60_000
const hour = 60 * minute
const sameYear = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const ago = new Intl.RelativeTimeFormat(undefined, { style: 'narrow', numeric: 'auto' })

/** A day, with its year if that is not this one. */
export function shortDayOf(instant: string): string {
  const at = new Date(instant)
  return at.getFullYear() === new Date().getFullYear() ? sameYear.format(at) : day.format(at)
}

/** As short as it can be said: minutes, hours of the last day, then the day, with its year if that is not this one. */
export function shortMoment(instant: string): string {
  const at = new Date(instant)
  const now = new Date()
  const passed = now.getTime() - at.getTime()
  if (passed < minute) return 'just now'
  if (passed < hour) return ago.format(-Math.floor(passed / minute), 'minute')
  if (passed < 24 * hour) return ago.format(-Math.floor(passed / hour), 'hour')
  return shortDayOf(instant)
}
