import type { ClickHouseClient } from '@clickhouse/client'
import type { Logger } from '../../log.ts'
import type { Caller } from '../../postgres/begin.ts'
import type { Database } from '../../postgres/database.ts'
import type { ClickHouseSettings } from './client.ts'

/** Role of the jobs that keep both databases consistent. */
export interface ClickHouseDeps {
  database: Database
  client: ClickHouseClient
  settings: ClickHouseSettings
  log: Logger
}

export const worker = { role: 'hoplet_worker', statementTimeout: 30_000 } as const satisfies Caller
export const workerReads = { ...worker, readOnly: true } as const
