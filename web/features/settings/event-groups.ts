import type { SecurityEventName } from '#domain/access/security-events.ts'
import type { AccountEvent } from './sessions-query.ts'

const failed: SecurityEventName = 'sign-in failed'
const gapMs = 10 * 60_000

/** Newest first, as given. Wrong passwords within minutes of each other are one group, everything else stands alone. */
export function groupEvents(events: readonly AccountEvent[]): AccountEvent[][] {
  const groups: AccountEvent[][] = []
  for (const event of events) {
    const later = groups.at(-1)
    const next = later?.at(-1)
    if (next?.event === failed && event.event === failed && isShortlyBefore(event, next))
      later?.push(event)
    else groups.push([event])
  }
  return groups
}

function isShortlyBefore(earlier: AccountEvent, later: AccountEvent): boolean {
  return Date.parse(later.at) - Date.parse(earlier.at) <= gapMs
}
