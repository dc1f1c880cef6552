import type { Logger } from '../../log.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'
import { createLru } from '../../primitives/lru.ts'
import type { ClickSink } from './click-log.ts'
import type { EntryOptions } from '../names/entry-options.ts'
import type { NameCache } from '../names/name-cache.ts'
import type { LinkEntry } from '../names/name-entry.ts'

export type ClickTally = Pick<ReturnType<typeof createClickTally>, 'accept' | 'clicksOf'>

export interface ClickTallyDeps {
  cache: Pick<NameCache, 'outdate' | 'readAtOf'>
  sink: Pick<ClickSink, 'uncountedMs'>
  log: Logger
  /** Milliseconds, monotonic. */
  now: () => number
}

interface Tally {
  key: string
  clicks: number
  /** When the last one was accepted. */
  acceptedAt: number
  /** When the database was known to have all of them; undefined until then. */
  countedAt: number | undefined
}

const maxTallies = 100_000
const everyMs = 5_000

/**
 * The clicks of links with a maximum: those that the database has counted, and those that this process accepted since. A
 * tally is in force until an entry is used that was read after the database had all of its clicks, so that no pause or
 * outage gives out clicks again. Such an entry is asked for, because the database counts fewer where visitors repeat a visit.
 */
export function createClickTally({ cache, sink, log, now }: ClickTallyDeps) {
  const tallies = createLru<Tally>(maxTallies)
  const uncounted = new Set<string>()

  const clicksOf = (
    { id, key }: Pick<LinkEntry, 'id' | 'key'>,
    { clicks }: Pick<EntryOptions, 'clicks'>,
  ): number => {
    const tally = tallies.get(id)
    if (!tally) return clicks
    const readAt = cache.readAtOf(key)
    const isIncluded =
      tally.countedAt !== undefined && readAt !== undefined && readAt >= tally.countedAt
    return isIncluded ? clicks : Math.max(tally.clicks, clicks)
  }

  const findCounted = async () => {
    for (const id of uncounted) if (!tallies.has(id)) uncounted.delete(id)
    if (uncounted.size === 0) return
    const askedAt = now()
    const uncountedMs = await sink.uncountedMs()
    if (uncountedMs === undefined) return
    const countedAt = now()
    for (const id of uncounted) {
      const tally = tallies.peek(id)
      if (!tally || tally.acceptedAt >= askedAt - uncountedMs - turnMs) continue
      tally.countedAt = countedAt
      uncounted.delete(id)
      cache.outdate(tally.key)
    }
  }
  const job = startPeriodicJob(log, 'clicks of links with a maximum', { everyMs }, findCounted)

  return {
    clicksOf,
    /** Call it for each click of a person. */
    accept(link: Pick<LinkEntry, 'id' | 'key' | 'options'>): void {
      const { id, key, options } = link
      if (options?.maxClicks === undefined) return
      const clicks = clicksOf(link, options) + 1
      tallies.set(id, { key, clicks, acceptedAt: now(), countedAt: undefined })
      uncounted.add(id)
    },
    close: () => void job.close(),
  }
}

/** More than a turn of the event loop: an accepted click is recorded at its end. */
const turnMs = 1_000
