import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '../../log.ts'
import { DatabaseUnavailableError } from '../../postgres/database.ts'
import { isLockFailure, isRetryableConflict } from '../../primitives/error-code.ts'
import type { Breaker } from '../../primitives/breaker.ts'
import type { NameCache } from './name-cache.ts'
import { missing, type NameEntry } from './name-entry.ts'

/** Reads many names in one query. `isHurried`: it may take little time, because an earlier one took too long. */
export type ReadEntries = (
  names: readonly string[],
  isHurried: boolean,
) => Promise<Map<string, NameEntry>>

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
  /** Whether one of its queries took too long. */
  isHurried: boolean
  /** If it is hurried, no query begins later. */
  deadline: number
  /** Whether the breaker counts it as a failure already. */
  hasFailed: boolean
}

/** How long a visitor waits for a changed entry before the old one is used. */
const outdatedTimeoutMs = 800
const maxNamesPerQuery = 500
const maxQueries = 2
/** Enough to find several names in a full batch. */
const maxSplits = 40

const emptyBatch = (): Batch => ({
  names: [],
  waiting: new Map(),
  timers: [],
  splits: maxSplits,
  isHurried: false,
  deadline: Infinity,
  hasFailed: false,
})

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

  /** The names of one batch tell one thing about the database, however many they are. */
  const countFailure = (batch: Batch) => {
    if (!batch.hasFailed) breaker.failed()
    batch.hasFailed = true
  }
  const giveUp = (batch: Batch, isDue: (name: string) => unknown = () => true) => {
    for (const [name, resolve] of batch.waiting) {
      if (!isDue(name)) continue
      batch.waiting.delete(name)
      countFailure(batch)
      resolve(undefined)
    }
  }
  /**
   * Returns the halves of a query that failed, to be read apart: an error of one name must not fail the others. A query
   * that took too long says that the database is slow, or that one of its names is expensive. Its halves get little time
   * each, and none begins after `lookupTimeoutMs` from the start of the first query. So most of the other names get their
   * entries into memory, and a slow database gets a few short queries more. Names without an answer are one failure.
   */
  const readNames = async (
    batch: Batch,
    names: readonly string[],
  ): Promise<readonly (readonly string[])[]> => {
    const settle = (name: string, entry: NameEntry | undefined) => {
      lookups.delete(name)
      batch.waiting.get(name)?.(entry)
      batch.waiting.delete(name)
    }
    const readAt = now()
    if (batch.isHurried && readAt >= batch.deadline) {
      countFailure(batch)
      for (const name of names) settle(name, undefined)
      return []
    }
    try {
      const entries = await readEntries(names, batch.isHurried)
      breaker.succeeded()
      for (const name of names) {
        const entry = entries.get(name) ?? missing
        cache.keep(name, entry, readAt)
        settle(name, entry)
      }
    } catch (error) {
      const isDown = error instanceof DatabaseUnavailableError
      const isSlow = isLockFailure(error) || isRetryableConflict(error)
      batch.isHurried ||= isSlow
      if (!isDown && names.length > 1 && batch.splits-- > 0) return halvesOf(names)
      if (isDown || isSlow) countFailure(batch)
      for (const name of names) settle(name, undefined)
      if (!isDown) log.error({ err: error, names: names.length }, 'looking up names failed')
    }
    return []
  }
  const answer = async (batch: Batch) => {
    batch.deadline = now() + lookupTimeoutMs
    // The larger parts come first: the search for one name must not use up the time of the others.
    const parts: (readonly string[])[] = [batch.names]
    for (const part of parts) parts.push(...(await readNames(batch, part)))
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
    const batch = emptyBatch()
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

function halvesOf(names: readonly string[]): string[][] {
  const middle = Math.ceil(names.length / 2)
  return [names.slice(0, middle), names.slice(middle)]
}
