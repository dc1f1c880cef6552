import { type NameEntry, missing } from './name-entry.ts'

interface Wish {
  name: string
  resolve: (entry: NameEntry) => void
  reject: (error: unknown) => void
}

const mostAtOnce = 500
const mostQueries = 2

/**
 * Reads single names through a reader of many: all that are wanted in one turn of the event loop, or while earlier
 * queries are under way, go in one query. So a cold start under load costs few queries, not one a visitor.
 */
export function createEntryReader(
  readAll: (names: readonly string[]) => Promise<Map<string, NameEntry>>,
): (name: string) => Promise<NameEntry> {
  let wishes: Wish[] = []
  let queries = 0
  let scheduled = false

  const ask = async (batch: readonly Wish[]): Promise<void> => {
    queries++
    try {
      const entries = await readAll(batch.map(({ name }) => name))
      for (const { name, resolve } of batch) resolve(entries.get(name) ?? missing)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      queries--
      schedule()
    }
  }
  const start = () => {
    scheduled = false
    while (wishes.length > 0 && queries < mostQueries) {
      const batch = wishes.slice(0, mostAtOnce)
      wishes = wishes.slice(mostAtOnce)
      void ask(batch)
    }
  }
  const schedule = () => {
    if (scheduled || wishes.length === 0) return
    scheduled = true
    setImmediate(start)
  }

  return (name) =>
    new Promise((resolve, reject) => {
      wishes.push({ name, resolve, reject })
      schedule()
    })
}
