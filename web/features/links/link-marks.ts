import type { LinkRow } from '#web/api/database.ts'
import { shortDayOf } from '#web/ui/time-words.ts'

const numbers = new Intl.NumberFormat()

const findingMarks: Partial<Record<string, string>> = {
  dead: 'broken destination',
  moved: 'destination moved',
  certificate: 'bad certificate',
}

/** The options that decide about visits now and the state of the destination, in a few words each. Numbers of clicks are there if the plan shows them. */
export function linkMarksOf(link: LinkRow, now = Date.now()): string[] {
  const left = clicksLeft(link)
  const isEnded = isPast(link.ends_at, now) || left === 0
  const marks: string[] = []
  if (isEnded) marks.push('ended')
  else if (link.starts_at !== null && !isPast(link.starts_at, now))
    marks.push(`starts ${shortDayOf(link.starts_at)}`)
  if (!isEnded && left !== undefined)
    marks.push(`${numbers.format(left)} ${left === 1 ? 'click' : 'clicks'} left`)
  if (link.has_password) marks.push('password')
  if (link.archived_at !== null) marks.push('archived')
  const finding = findingMarks[link.destination_finding ?? '']
  if (finding !== undefined) marks.push(finding)
  return marks
}

/** Undefined without a maximum, and on plans that do not show clicks. */
export function clicksLeft(link: LinkRow): number | undefined {
  if (link.max_clicks === null || link.click_count === null) return undefined
  return Math.max(0, link.max_clicks - link.click_count)
}

export function isPast(instant: string | null, now: number): boolean {
  return instant !== null && Date.parse(instant) <= now
}
