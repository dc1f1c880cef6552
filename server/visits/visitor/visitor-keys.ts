import { randomBytes } from 'node:crypto'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'

export type VisitorKeys = ReturnType<typeof openVisitorKeys>

const dayMs = 86_400_000
const keyBytes = 32
/** Often enough that a restarted server soon tells visitors apart as its neighbors do. */
const intervalMs = 60_000

/**
 * The keys of the visitors' hashes: one per UTC day, shared by all servers through the database and fetched a day ahead.
 * Without the database a key of this process's own is used, which other servers do not know.
 */
export function openVisitorKeys({ database, log }: { database: Database; log: Logger }) {
  /** By day since 1970. */
  let keys = new Map<number, Buffer>()
  const refresh = async () => {
    const rows = await queryAs<{ day: number; key: Buffer }>(
      database,
      { role: 'hoplet_visits', statementTimeout: 4_000 },
      `select (day - date '1970-01-01') as day, key from app.keep_visitor_keys($1, $2)`,
      [randomBytes(keyBytes), randomBytes(keyBytes)],
    )
    keys = new Map(rows.map(({ day, key }) => [day, key]))
  }
  const job = startPeriodicJob(log, 'visitor keys', { everyMs: intervalMs }, refresh)
  return {
    /** The key of today by this machine's clock. */
    current(): { day: number; key: Buffer } {
      const day = Math.floor(Date.now() / dayMs)
      let key = keys.get(day)
      if (!key) keys.set(day, (key = randomBytes(keyBytes)))
      return { day, key }
    },
    /** Fetches the keys; rejects when the database does not respond. */
    refresh,
    close: job.close,
  }
}
