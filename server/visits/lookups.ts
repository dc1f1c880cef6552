import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import { isRetryableConflict } from '../primitives/error-code.ts'
import type { Breaker } from '../primitives/breaker.ts'
import type { NameCache } from './name-cache.ts'
import { missing, type NameEntry } from './name-entry.ts'

/** Reads many names in one query. */
export type ReadEntries = (names: readonly string[]) => Promise<Map<string, NameEntry>>

export interface LookupsDeps {
  cache: NameCache
  readEntries: ReadEntries
  breaker: Breaker
  log: Logger
  /** How long a visitor waits for a name that is not in memory. */
  lookupTimeoutMs: number
  /** Milliseconds, monotonic. */
  now: () => number
}

/** Names of one query. */
interface Batch {
  names: string[]
  /** Ends the wait for a name. */
  waiting: Map<string, (entry: NameEntry | undefined) => void>
  timers: NodeJS.Timeout[]
  /** How often a failed query may still be split. */
  splits: number
}

/** How long a visitor waits for a changed entry before the old one is used. */
const outdatedTimeoutMs = 800
const maxNamesPerQuery = 500
const maxQueries = 2
/** Enough to find several names in a full batch. */
const maxSplits = 40

/**
 * Looks names up in the database, and puts the results into memory. All names that are requested in one turn of the event loop, or while earlier
 * queries are running, go into one query, so a cold start under load needs few queries.
 */
export function createLookups(deps: LookupsDeps) {
  const { cache, readEntries, breaker, log, lookupTimeoutMs, now } = deps
  /** Until their query is answered, however late. */
  const lookups = new Map<string, Promise<NameEntry | undefined>>()
  const running = new Set<Promise<void>>()
  let open: Batch | undefined

  const giveUp = ({ waiting }: Batch, isDue: (name: string) => unknown = () => true) => {
    for (const [name, resolve] of waiting) {
      if (!isDue(name)) continue
      waiting.delete(name)
      breaker.failed()
      resolve(undefined)
    }
  }
  /** An error of one name must not fail the others: the halves of its query are read apart. */
  const readNames = async (batch: Batch, names: readonly string[]): Promise<void> => {
    const settle = (name: string, entry: NameEntry | undefined) => {
      lookups.delete(name)
      batch.waiting.get(name)?.(entry)
      batch.waiting.delete(name)
    }
    const readAt = now()
    try {
      const entries = await readEntries(names)
      breaker.succeeded()
      for (const name of names) {
        const entry = entries.get(name) ?? missing
        cache.keep(name, entry, readAt)
        settle(name, entry)
      }
    } catch (error) {
      // A statement that took too long says that the database is slow, and nothing about its names.
      const isDown = error instanceof DatabaseUnavailableError || isRetryableConflict(error)
      if (!isDown && names.length > 1 && batch.splits-- > 0) {
        const middle = Math.ceil(names.length / 2)
        await readNames(batch, names.slice(0, middle))
        return readNames(batch, names.slice(middle))
      }
      for (const name of names) {
        if (isDown) breaker.failed()
        settle(name, undefined)
      }
      if (!(error instanceof DatabaseUnavailableError))
        log.error({ err: error, names: names.length }, 'looking up names failed')
    }
  }
  const answer = async (batch: Batch) => {
    await readNames(batch, batch.names)
    for (const timer of batch.timers) clearTimeout(timer)
  }
  const answerInTurn = async (batch: Batch) => {
    await nextTurn()
    while (running.size >= maxQueries) await Promise.race(running)
    if (open === batch) open = undefined
    const answered = answer(batch).then(() => void running.delete(answered))
    running.add(answered)
  }
  const startBatch = (): Batch => {
    const batch: Batch = { names: [], waiting: new Map(), timers: [], splits: maxSplits }
    batch.timers.push(setTimeout(giveUp, lookupTimeoutMs, batch))
    void answerInTurn(batch)
    return batch
  }

  return {
    /** Names that are being looked up. */
    size: () => lookups.size,
    get: (name: string) => lookups.get(name),
    /** Resolves with undefined when the database does not respond in time; a later result still goes into memory. */
    start(name: string): Promise<NameEntry | undefined> {
      if (!open || open.names.length === maxNamesPerQuery) open = startBatch()
      const { names, waiting, timers } = open
      names.push(name)
      const entry = new Promise<NameEntry | undefined>((resolve) => waiting.set(name, resolve))
      if (timers.length === 1 && cache.entryOf(name))
        timers.push(setTimeout(giveUp, outdatedTimeoutMs, open, cache.entryOf))
      lookups.set(name, entry)
      return entry
    },
  }
}
