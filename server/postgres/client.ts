import pg from 'pg'

interface ClientOptions {
  /** Default: 10 s. */
  connectTimeoutMs?: number
  /** Default: none. */
  queryTimeoutMs?: number
}

/**
 * A connection outside the pools, not yet connected. Its loss fails the query in progress, and no event that has no
 * listener ends the process.
 *
 * @param purpose its name in `pg_stat_activity`: `hoplet <purpose>`
 */
export function createPlainClient(
  url: string,
  purpose: string,
  { connectTimeoutMs = 10_000, queryTimeoutMs }: ClientOptions = {},
): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    ...(queryTimeoutMs !== undefined && { query_timeout: queryTimeoutMs }),
    keepAlive: true,
    application_name: `hoplet ${purpose}`,
  })
  client.on('error', () => {})
  return client
}
