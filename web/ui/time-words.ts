const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function dayOf(instant: string): string {
  return day.format(new Date(instant))
}

export function momentOf(instant: string): string {
  return moment.format(new Date(instant))
}
