import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'

export interface ClickHouseSettings {
  /** `http(s)://user:password@host:port/database` */
  url: string
  cluster: string | undefined
  /** The longest that any plan keeps hits. */
  keepDays: number
}

const timeoutMs = 30_000
/** Errors are thrown, and logged by those who catch them. */
export const silent = { level: ClickHouseLogLevel.OFF }

export function openClickHouse({ url }: ClickHouseSettings): ClickHouseClient {
  return createClient({ url, request_timeout: timeoutMs, max_open_connections: 4, log: silent })
}
