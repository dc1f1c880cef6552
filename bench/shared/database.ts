import pg from 'pg'
import { createLog } from '#server/log.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'

/** A database of a bench. */
export interface BenchDatabase {
  /** For DATABASE_URL. */
  url: string
  /** As the superuser: no row security, and triggers can be left out. */
  sql<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
}

/** A separate PostgreSQL in `folder`, for servers that a bench starts and ends. */
export async function startBenchDatabase(folder: string) {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: createLog('fatal') })
  const pools: pg.Pool[] = []
  const open = (name: string): BenchDatabase => {
    const [url, superuser] = [new URL(postgres.url), new URL(postgres.superuserUrl)]
    url.pathname = superuser.pathname = `/${name}`
    const pool = new pg.Pool({ connectionString: superuser.href, max: 1 })
    // PostgreSQL stops before the pool at the end.
    pool.on('error', () => {})
    pools.push(pool)
    return {
      url: url.href,
      sql: async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
        (await pool.query<Row>(text, values)).rows,
    }
  }
  const first = open(new URL(postgres.url).pathname.slice(1))
  return {
    ...first,
    /** A second database beside the first, still empty. */
    async add(name: string): Promise<BenchDatabase> {
      const owner = pg.escapeIdentifier(new URL(postgres.url).username)
      await first.sql(`create database ${pg.escapeIdentifier(name)} owner ${owner}`)
      return open(name)
    },
    async stop(): Promise<void> {
      for (const pool of pools) await pool.end()
      await postgres.stop()
    },
  }
}
