import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'

export interface ClickHouseSettings {
  /** `http(s)://user:password@host:port/database` */
  url: string
  cluster: string | undefined
  /** The longest that any plan keeps hits. */
  keepDays: number
}

const timeoutMs = 30_000
const readTimeoutMs = 10_000
/** At once, of this process; the others wait. */
const maxReads = 10
/** Errors are thrown, and logged by those who catch them. */
const silent = { level: ClickHouseLogLevel.OFF }

/** @param requestTimeoutMs default: 30 s; an answer that keeps coming may take longer */
export function openClickHouse(
  { url }: Pick<ClickHouseSettings, 'url'>,
  requestTimeoutMs = timeoutMs,
): ClickHouseClient {
  return createClient({
    url,
    request_timeout: requestTimeoutMs,
    max_open_connections: 4,
    log: silent,
  })
}

/** For people who wait: ClickHouse gives up before the client does, and the client before the person. */
export function openReader({ url }: Pick<ClickHouseSettings, 'url'>): ClickHouseClient {
  return createClient({
    url,
    request_timeout: readTimeoutMs,
    max_open_connections: maxReads,
    log: silent,
    clickhouse_settings: {
      max_execution_time: readTimeoutMs / 1_000 - 2,
      // Numbers in JSON are numbers: none of ours is above 2^53.
      output_format_json_quote_64bit_integers: 0,
    },
  })
}

/** Suffix of a table's name in statements that all servers of the cluster run. */
export const onCluster = ({ cluster }: Pick<ClickHouseSettings, 'cluster'>): string =>
  cluster ? `on cluster '${cluster}'` : ''

/**
 * Inserts lines of the format TabSeparated, each month of them as a whole or not at all. ClickHouse takes a token only
 * once while it remembers it (docs/decisions/0083).
 */
export async function insertLines(
  client: ClickHouseClient,
  table: string,
  lines: string | Buffer,
  token: string,
): Promise<void> {
  await client.insert({
    table,
    values: Readable.from([lines], { objectMode: false }),
    format: 'TabSeparated',
    clickhouse_settings: {
      insert_deduplication_token: token,
      insert_deduplicate: 1,
      deduplicate_blocks_in_dependent_materialized_views: 1,
      async_insert: 0,
    },
  })
}

export async function selectRows<Row>(
  client: ClickHouseClient,
  query: string,
  parameters: Record<string, unknown> = {},
): Promise<Row[]> {
  const result = await client.query({ query, query_params: parameters, format: 'JSONEachRow' })
  return result.json<Row>()
}
