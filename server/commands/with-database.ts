import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { type Database, openDatabase } from '../postgres/database.ts'
import { locateDatabase } from './locate-database.ts'

/**
 * Runs a command's work on the database that {@link locateDatabase} finds.
 *
 * @param connections of the pool for everything but visits
 */
export async function withDatabase<T>(
  config: Config,
  log: Logger,
  work: (database: Database) => Promise<T>,
  connections = 1,
): Promise<T> {
  const { url, close } = await locateDatabase(config, log)
  const database = openDatabase(url, log, { doors: connections, visits: 1 })
  try {
    return await work(database)
  } finally {
    await database.close()
    await close()
  }
}
