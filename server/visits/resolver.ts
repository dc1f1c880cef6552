import type { Logger } from '../log.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { Breaker } from '../primitives/breaker.ts'
import { createBatchedReader } from './batched-reader.ts'
import type { NameCache } from './name-cache.ts'
import { missing, type NameEntry } from './name-entry.ts'
import { createRefresher } from './refresher.ts'

/** Finds the entry of a name, in memory if possible. */
export interface Resolver {
  /** The entry, if memory has a valid one. Undefined: {@link load} it. */
  peek(name: string): NameEntry | undefined
  /** Reads the entry from the database, once for all waiting visitors. Undefined: not in memory, and the database does not respond. */
  load(name: string): Promise<NameEntry | undefined>
  /** True when memory has an entry of this name, however old. */
  isKnown(name: string): boolean
}

/** Reads many names in one query. */
export type ReadEntries = (names: readonly string[]) => Promise<Map<string, NameEntry>>

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

/**
 * Makes one look-up for any number of simultaneous visits to a name. An outdated entry is read again before it is used;
 * if the database fails or is slow, the outdated entry is used.
 */
export function createResolver(deps: ResolverDeps): Resolver {
  const { cache, readEntries, breaker, log, lookupTimeoutMs, now } = deps
  const read = createBatchedReader(readEntries)
  const lookups = new Map<string, Promise<NameEntry | undefined>>()
  let waitingVisitors = 0

  const onFailure = (error: unknown) => {
    breaker.failed()
    if (!(error instanceof DatabaseUnavailableError))
      log.error({ err: error }, 'looking up names failed')
  }

  /** Undefined when the database does not respond in time; a late result still goes into memory. */
  const lookUp = (name: string): Promise<NameEntry | undefined> => {
    const pending = cache.startRead(name)
    const entry = read(name).then(
      (found) => {
        breaker.succeeded()
        return found
      },
      (error: unknown) => {
        onFailure(error)
        return undefined
      },
    )
    const kept = entry.then((found) => {
      lookups.delete(name)
      cache.finishRead(pending, found)
      return found
    })
    const timeoutMs = cache.entryOf(name) ? outdatedTimeoutMs : lookupTimeoutMs
    const lookup = withTimeout(kept, timeoutMs, () => breaker.failed())
    lookups.set(name, lookup)
    return lookup
  }

  const refresh = createRefresher(async (names) => {
    if (!breaker.tryAcquire()) return
    const startedAt = now()
    try {
      const entries = await readEntries(names)
      breaker.succeeded()
      for (const [name, entry] of entries) cache.keepRefreshed(name, entry, startedAt)
    } catch (error) {
      onFailure(error)
    }
  })

  return {
    peek(name) {
      const cached = cache.lookUp(name)
      switch (cached.state) {
        case 'fresh':
          return cached.entry
        case 'aging':
          refresh(name)
          return cached.entry
        case 'outdated':
          if (!breaker.isOpen()) return undefined
          refresh(name)
          return cached.entry
        case 'missing':
          return missing
        case 'unknown':
          return undefined
      }
    },
    async load(name) {
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
    isKnown: (name) => cache.entryOf(name) !== undefined,
  }
}

function withTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  onTimeout: () => void,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      onTimeout()
      resolve(undefined)
    }, timeoutMs)
    void work.then((result) => {
      clearTimeout(timer)
      resolve(result)
    })
  })
}
