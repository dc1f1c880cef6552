import { createLru } from '../primitives/lru.ts'
import type { EntryOptions } from './entry-options.ts'
import type { LinkEntry } from './name-entry.ts'

export type ClickTally = ReturnType<typeof createClickTally>

/** An accepted click is in the database by then, or its link is read again. */
const rememberedMs = 60_000

/**
 * The clicks of links with a maximum: those that the database has counted, and those that this process accepted since. Each
 * batch that the database counts makes such a link read again (`notify_change` in 07_links.sql).
 *
 * @param now milliseconds on a monotonic clock
 */
export function createClickTally(now: () => number) {
  const tallies = createLru<number>(100_000, { ttl: rememberedMs, perf: { now } })
  const clicksOf = ({ id }: Pick<LinkEntry, 'id'>, { clicks }: Pick<EntryOptions, 'clicks'>) =>
    Math.max(tallies.get(id) ?? 0, clicks)
  return {
    clicksOf,
    /** Call it for each click of a person. */
    accept(link: Pick<LinkEntry, 'id' | 'options'>): void {
      if (link.options?.maxClicks === undefined) return
      tallies.set(link.id, clicksOf(link, link.options) + 1)
    },
  }
}
