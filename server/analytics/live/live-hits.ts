import type { Logger } from '../../log.ts'
import { createConcurrencyLimit } from '../../primitives/concurrency-limit.ts'
import type { Database } from '../../postgres/database.ts'
import type { RecentClocks } from '../recent-clocks.ts'
import { lookForHits } from './news.ts'
import type { Watcher } from './watcher.ts'

const intervalMs = 1_000
/** Streams that are served at the same time: the others at the doors need connections, too. */
const maxAtOnce = 3
const maxPerPerson = 5
const maxStreams = 500

/** Looks once a second, for all streams of this process together, for hits that were stored; not at all without streams. */
export function createLiveHits({
  database,
  log,
  clocks,
}: {
  database: Database
  log: Logger
  clocks: RecentClocks
}) {
  const watchers = new Set<Watcher>()
  let snapshot: string | undefined
  let looking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let servers = 0
  let isClosed = false

  const lookOnce = async (): Promise<void> => {
    const refs = new Set([...watchers].map(({ ref }) => ref))
    const since = refs.size === 0 ? undefined : snapshot
    const from = clocks.earliestNow()
    const look = await lookForHits(database, [...refs], since, from)
    // The clock was set back meanwhile: there may be hits from before `from`.
    if (clocks.earliestNow() < from) return lookOnce()
    snapshot = look.snapshot
    const byRef = new Map(look.news.map((news) => [news.ref, news]))
    for (const watcher of watchers) {
      const news = byRef.get(watcher.ref)
      if (news) watcher.add(news)
    }
  }
  const look = () => (looking ??= lookOnce().finally(() => (looking = undefined)))

  const serveDue = async () => {
    if (servers >= maxAtOnce) return
    servers++
    const due = [...watchers].filter((watcher) => watcher.isDue())
    for (const watcher of due) if (watcher.isDue()) await watcher.serve()
    servers--
  }
  const tick = async () => {
    // A look may take longer than the clock stays.
    clocks.read()
    await look().catch((error: unknown) => log.debug({ err: error }, 'no look for live hits'))
    await Promise.all(Array.from({ length: maxAtOnce }, serveDue))
  }

  return {
    /** Stream limits, per person and in total. */
    places: createConcurrencyLimit(maxPerPerson, maxStreams),
    /** Draws the line between the hits before a new watcher and those after it. @throws {DatabaseUnavailableError} */
    look,
    /** Tells a watcher about the hits since the last look. @returns how to stop */
    add(watcher: Watcher): () => void {
      watchers.add(watcher)
      if (isClosed) setImmediate(() => watcher.end('shutdown'))
      timer ??= setInterval(() => void tick(), intervalMs)
      timer.unref()
      return () => {
        watchers.delete(watcher)
        if (watchers.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
    /** Checks the rights of a member's streams now; without a member, of all. */
    recheck(member?: string): void {
      const meant = [...watchers].filter((one) => member === undefined || one.member === member)
      for (const watcher of meant) watcher.recheck()
      if (meant.length > 0) void tick()
    },
    /** Ends all streams, and new ones at once. */
    async close() {
      isClosed = true
      for (const watcher of watchers) watcher.end('shutdown')
      await looking?.catch(() => {})
    },
  }
}
