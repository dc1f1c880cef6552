import { ConfigurationError } from '../env.ts'
import type { Logger } from '../log.ts'
import { type Database, openDatabase } from '../postgres/database.ts'
import { onlyRowAs, queryAs } from '../postgres/rows.ts'
import type { ClickHouseSettings } from './clickhouse/client.ts'
import { ifError } from '../primitives/caught-error.ts'

/** Which database has the hits (database/code/17_clickhouse.sql). `both` only while they move. */
type ClickStoreState = 'postgres' | 'moving' | 'both' | 'clickhouse'

interface ClickStoreFacts extends Record<string, unknown> {
  state: ClickStoreState
  /** Is written into the ClickHouse database that belongs to this one. */
  id: string
  /** Whether PostgreSQL has hits or events of popups. */
  has_hits: boolean
}

const caller = { role: 'hoplet_worker', statementTimeout: 30_000 } as const
const isMissing =
  'CLICKHOUSE_URL: is missing, though the clicks of this database are in ClickHouse. Set it as on the other servers: CLICKHOUSE_URL=http://user:password@host:8123/database'
export function readClickStore(database: Database): Promise<ClickStoreFacts> {
  return onlyRowAs(database, { ...caller, readOnly: true }, 'select * from app.click_store_facts()')
}

/**
 * Compares the settings with where the hits of the database are. A database without hits begins in ClickHouse when there is
 * one; those of another have to be moved (click-move.ts). ClickHouse may be down once it has hits: visits do not need it.
 *
 * @throws {ConfigurationError} with the line to change
 */
export async function settleClickStore(
  databaseUrl: string,
  settings: ClickHouseSettings | undefined,
  log: Logger,
): Promise<void> {
  const database = openDatabase(databaseUrl, log, { doors: 1, visits: 1 })
  try {
    const { state, id, has_hits: hasHits } = await readClickStore(database)
    if (!settings) {
      if (state === 'clickhouse') throw new ConfigurationError([isMissing])
      return
    }
    const isNew = state === 'postgres' && !hasHits
    await prepare(settings, { id, mayBeDown: !isNew }, log)
    if (isNew) await queryAs(database, caller, 'select app.use_clickhouse()')
    else if (state !== 'clickhouse')
      log.warn('the clicks are in PostgreSQL: npm run move-clicks moves them to ClickHouse')
  } finally {
    await database.close()
  }
}

async function prepare(
  settings: ClickHouseSettings,
  { id, mayBeDown }: { id: string; mayBeDown: boolean },
  log: Logger,
): Promise<void> {
  const [{ prepareClickHouse }, { ClickHouseDownError }] = await Promise.all([
    import('./clickhouse/schema.ts'),
    import('./clickhouse/start-check.ts'),
  ])
  const away = (error: Error) => {
    if (!mayBeDown) throw new ConfigurationError([`CLICKHOUSE_URL: ${error.message}`])
    log.warn({ err: error }, 'ClickHouse cannot be reached: hits wait for it')
  }
  await prepareClickHouse(settings, id).catch(ifError(ClickHouseDownError, away))
}
