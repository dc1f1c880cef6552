import { setImmediate as nextTurn } from 'node:timers/promises'
import { missing, type NameEntry } from './name-entry.ts'

/** Reads many names in one query. */
export type ReadEntries = (names: readonly string[]) => Promise<Map<string, NameEntry>>

interface Batch {
  names: string[]
  entries: Promise<Map<string, NameEntry>>
}

const maxNamesPerQuery = 500
const maxQueries = 2

/**
 * Reads single names through a reader of many. All names requested in one turn of the event loop, or while earlier
 * queries are running, go into one query, so a cold start under load needs few queries.
 */
export function createBatchedReader(
  readEntries: ReadEntries,
): (name: string) => Promise<NameEntry> {
  const running = new Set<Promise<unknown>>()
  let open: Batch | undefined

  const startBatch = (): Batch => {
    const names: string[] = []
    const query = async () => {
      await nextTurn()
      while (running.size >= maxQueries) await Promise.race(running)
      if (open === batch) open = undefined
      const entries = readEntries(names)
      const done = entries.catch(() => {}).finally(() => running.delete(done))
      running.add(done)
      return entries
    }
    const batch: Batch = { names, entries: query() }
    return batch
  }

  return async (name) => {
    if (!open || open.names.length === maxNamesPerQuery) open = startBatch()
    const { names, entries } = open
    names.push(name)
    return (await entries).get(name) ?? missing
  }
}
