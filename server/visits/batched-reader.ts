import { missing, type NameEntry } from './name-entry.ts'

interface PendingRead {
  name: string
  resolve: (entry: NameEntry) => void
  reject: (error: unknown) => void
}

const maxNamesPerQuery = 500
const maxQueries = 2

/**
 * Reads single names through a reader of many. All names requested in one turn of the event loop, or while earlier
 * queries are running, go into one query, so a cold start under load needs few queries.
 */
export function createBatchedReader(
  readEntries: (names: readonly string[]) => Promise<Map<string, NameEntry>>,
): (name: string) => Promise<NameEntry> {
  let pending: PendingRead[] = []
  let runningQueries = 0
  let isScheduled = false

  const query = async (batch: readonly PendingRead[]): Promise<void> => {
    runningQueries++
    try {
      const entries = await readEntries(batch.map(({ name }) => name))
      for (const { name, resolve } of batch) resolve(entries.get(name) ?? missing)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      runningQueries--
      schedule()
    }
  }
  const start = () => {
    isScheduled = false
    while (pending.length > 0 && runningQueries < maxQueries) {
      const batch = pending.slice(0, maxNamesPerQuery)
      pending = pending.slice(maxNamesPerQuery)
      void query(batch)
    }
  }
  const schedule = () => {
    if (isScheduled || pending.length === 0) return
    isScheduled = true
    setImmediate(start)
  }

  return (name) =>
    new Promise((resolve, reject) => {
      pending.push({ name, resolve, reject })
      schedule()
    })
}
