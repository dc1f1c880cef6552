import type { Logger } from '../log.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { Breaker } from '../primitives/breaker.ts'
import { createBatchedReader, type ReadEntries } from './batched-reader.ts'
import type { NameCache } from './name-cache.ts'
import type { NameEntry } from './name-entry.ts'

/** Finds the entry of a name, in memory if possible. */
export type Resolver = ReturnType<typeof createResolver>

interface ResolverDeps {
  cache: NameCache
  readEntries: ReadEntries
  breaker: Breaker
  log: Logger
  /** How long a visitor waits for a name that is not in memory. */
  lookupTimeoutMs: number
  /** Milliseconds, monotonic. */
  now: () => number
}

/** How long a visitor waits for a changed entry before the old one is used. */
const outdatedTimeoutMs = 800
/** Beyond these limits visitors get 503 at once, so that the queue cannot grow without a bound. */
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
export function createResolver(deps: ResolverDeps) {
  const { cache, readEntries, breaker, log, lookupTimeoutMs, now } = deps
  const read = createBatchedReader(readEntries)
  const lookups = new Map<string, Promise<NameEntry | undefined>>()
  const background = new Set<string>()
  let waitingVisitors = 0

  /** Undefined when the database does not respond in time; a late result still goes into memory. */
  const lookUp = (name: string): Promise<NameEntry | undefined> => {
    const readAt = now()
    const entry = read(name).then(
      (found) => {
        breaker.succeeded()
        lookups.delete(name)
        cache.keep(name, found, readAt)
        return found
      },
      (error: unknown) => {
        breaker.failed()
        lookups.delete(name)
        if (!(error instanceof DatabaseUnavailableError))
          log.error({ err: error }, 'looking up names failed')
        return undefined
      },
    )
    const timeoutMs = cache.entryOf(name) ? outdatedTimeoutMs : lookupTimeoutMs
    const lookup = new Promise<NameEntry | undefined>((resolve) => {
      const timer = setTimeout(() => {
        breaker.failed()
        resolve(undefined)
      }, timeoutMs)
      void entry.then((found) => {
        clearTimeout(timer)
        resolve(found)
      })
    })
    lookups.set(name, lookup)
    return lookup
  }

  const readBackground = () => {
    for (const name of background) {
      if (lookups.size >= maxBackgroundLookups) break
      if (!lookups.has(name) && breaker.tryAcquire()) void lookUp(name)
    }
    background.clear()
  }
  const refresh = (name: string) => {
    if (background.add(name).size === 1) setTimeout(readBackground, backgroundDelayMs)
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
    async load(name: string): Promise<NameEntry | undefined> {
      const lookup =
        lookups.get(name) ??
        (lookups.size < maxLookups && breaker.tryAcquire() ? lookUp(name) : undefined)
      if (!lookup || waitingVisitors >= maxWaitingVisitors) return cache.entryOf(name)
      waitingVisitors++
      try {
        return (await lookup) ?? cache.entryOf(name)
      } finally {
        waitingVisitors--
      }
    },
    /** True when memory has an entry of this name, however old. */
    isKnown: (name: string) => cache.entryOf(name) !== undefined,
  }
}
