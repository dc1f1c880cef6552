import pg from 'pg'
import { createLog } from '#server/log.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'

/** A PostgreSQL of its own in `folder`, for servers that a bench starts and ends. */
export async function startBenchDatabase(folder: string) {
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: createLog('fatal') })
  const superuser = new URL(postgres.superuserUrl)
  superuser.pathname = new URL(postgres.url).pathname
  const pool = new pg.Pool({ connectionString: superuser.href, max: 1 })
  // PostgreSQL stops before the pool at the end.
  pool.on('error', () => {})
  return {
    /** For DATABASE_URL. */
    url: postgres.url,
    /** As the superuser: no row security, and triggers can be left out. */
    sql: async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
      (await pool.query<Row>(text, values)).rows,
    async stop(): Promise<void> {
      await pool.end()
      await postgres.stop()
    },
  }
}
