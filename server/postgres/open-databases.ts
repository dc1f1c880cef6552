import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { type Database, openDatabase } from './database.ts'
import { withReplica } from './replica.ts'

type DatabaseConfig = Pick<
  Config,
  'databaseConnectTimeoutMs' | 'databasePoolSize' | 'databaseReadUrl' | 'visitsPoolSize'
> & {
  databaseUrl: string
}

/** The primary, with the replica that takes a part of its reads if there is one. */
export function openDatabases(config: DatabaseConfig, log: Logger): Database {
  const settings = {
    doors: config.databasePoolSize,
    visits: config.visitsPoolSize,
    connectTimeoutMs: config.databaseConnectTimeoutMs,
  }
  const primary = openDatabase(config.databaseUrl, log, settings)
  if (config.databaseReadUrl === undefined) return primary
  const replica = openDatabase(config.databaseReadUrl, log, settings)
  // Without the replica, reports leave half of the connections to everything else.
  const maxReportsOnPrimary = Math.max(1, Math.floor(settings.doors / 2))
  return withReplica({ primary, replica, log, maxReportsOnPrimary })
}
