import { createLookups, type LookupsDeps } from './lookups.ts'
import type { NameEntry } from './name-entry.ts'

/** Finds the entry of a name, in memory if possible. */
export type Resolver = ReturnType<typeof createResolver>

/** Beyond these limits visitors get 503 at once, which bounds the queue. */
const maxLookups = 2_000
const maxWaitingVisitors = 5_000
/** Beyond this many look-ups no entry is read in the background, so that there is room for those that visitors wait for. */
const maxBackgroundLookups = 1_000
/** Collects background reads into few queries, which keeps the age limit cheap with 100,000 busy links. */
const backgroundDelayMs = 50

/**
 * Makes one look-up for any number of simultaneous visits to a name. An outdated entry is read again before it is used;
 * if the database fails or is slow, the outdated entry is used.
 */
export function createResolver(deps: LookupsDeps) {
  const { cache, breaker } = deps
  const lookups = createLookups(deps)
  const background = new Set<string>()
  let waitingVisitors = 0

  const readBackground = () => {
    for (const name of background) {
      if (lookups.size() >= maxBackgroundLookups) break
      if (!lookups.get(name) && breaker.tryAcquire()) void lookups.start(name)
    }
    background.clear()
  }
  const refresh = (name: string) => {
    if (background.add(name).size === 1) setTimeout(readBackground, backgroundDelayMs)
  }
  const lookUp = (name: string): Promise<NameEntry | undefined> | undefined => {
    const running = lookups.get(name)
    if (running || lookups.size() >= maxLookups || !breaker.tryAcquire()) return running
    return lookups.start(name)
  }

  return {
    /** The entry, if memory has a valid one. Undefined: load it. */
    peek(name: string): NameEntry | undefined {
      const cached = cache.lookUp(name)
      if (!cached || cached.state === 'fresh') return cached?.entry
      const { state, entry } = cached
      if (state === 'outdated' && (entry.kind === 'missing' || !breaker.isOpen())) return undefined
      refresh(name)
      return entry
    },
    /**
     * Reads the entry from the database, once for all waiting visitors. Undefined: not in memory, and the database does
     * not respond.
     */
    load(name: string): Promise<NameEntry | undefined> {
      const lookup = lookUp(name)
      if (!lookup || waitingVisitors >= maxWaitingVisitors)
        return Promise.resolve(cache.entryOf(name))
      waitingVisitors++
      return lookup.then((entry) => {
        waitingVisitors--
        return entry ?? cache.entryOf(name)
      })
    },
    /** True when memory has an entry of this name, however old. */
    isKnown: (name: string) => cache.entryOf(name) !== undefined,
  }
}
