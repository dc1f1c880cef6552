import type { Logger } from '../log.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { Breaker } from '../primitives/breaker.ts'
import { createBatchedReader } from './batched-reader.ts'
import type { NameCache } from './name-cache.ts'
import { missing, type NameEntry } from './name-entry.ts'
import { createRefresher } from './refresher.ts'

/** Names to entries, from memory where possible. */
export interface Resolver {
  /** The entry if memory may answer; else undefined: then {@link load} it. */
  peek(name: string): NameEntry | undefined
  /** Asks the database, once for all who wait. Undefined: the name is not known and the database does not answer. */
  load(name: string): Promise<NameEntry | undefined>
  /** True when memory has an entry of this name, however old: somebody visited it not long ago. */
  isKnown(name: string): boolean
}

/** Reads many names in one query. */
export type ReadEntries = (names: readonly string[]) => Promise<Map<string, NameEntry>>

interface ResolverDeps {
  cache: NameCache
  readEntries: ReadEntries
  breaker: Breaker
  log: Logger
  /** How long a visitor waits for a name that memory does not have. */
  lookupTimeoutMs: number
  /** Milliseconds, monotonic. */
  now: () => number
}

/** How long a visitor waits for a changed entry: after that, the old one serves. */
const outdatedTimeoutMs = 800
/** Beyond these, further visitors get 503 at once instead of a place in a queue that grows. */
const maxLookups = 2_000
const maxWaitingVisitors = 5_000

/**
 * One look-up for any number of simultaneous visits of a name. An outdated entry is read again before it answers; only
 * when the database fails or is slow does what memory has go on serving.
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

  /** Undefined when the database does not answer in time; what comes later is kept in memory all the same. */
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
