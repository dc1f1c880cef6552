import { type ClickHouseClient, createClient } from '@clickhouse/client'

export interface ClickHouseSettings {
  /** `http(s)://user:password@host:port/database` */
  url: string
  cluster: string | undefined
}

const timeoutMs = 30_000

export function openClickHouse({ url }: ClickHouseSettings): ClickHouseClient {
  return createClient({ url, request_timeout: timeoutMs, max_open_connections: 4 })
}
