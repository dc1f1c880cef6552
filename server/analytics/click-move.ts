import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { readClickStore } from './click-store.ts'
import { type ClickHouseSettings, onCluster, openClickHouse } from './clickhouse/client.ts'
import { copyClicks, type Moved, withMove } from './clickhouse/move.ts'
import { prepareClickHouse, ownTables } from './clickhouse/schema.ts'

interface MoveDeps {
  database: Database
  settings: ClickHouseSettings
  log: Logger
}

const caller = { role: 'hoplet_worker', statementTimeout: 60 * 60_000 } as const

/** @throws {Error} when the clicks are in ClickHouse already, or it cannot be used */
export async function moveToClickHouse(
  { database, settings, log }: MoveDeps,
  print: (line: string) => void,
): Promise<Moved> {
  const { state, id } = await readClickStore(database)
  if (state === 'clickhouse') throw new Error('The clicks are in ClickHouse alone already.')
  await prepareClickHouse(settings, id)
  const client = openClickHouse(settings)
  try {
    return await copyClicks({ database, client, settings, log }, print)
  } finally {
    await client.close()
  }
}

/** @throws {Error} when the stores were not found equal, or a server could not read ClickHouse */
export async function finishMove({ database }: MoveDeps): Promise<string> {
  const { state } = await readClickStore(database)
  if (state === 'clickhouse') return 'The clicks are in ClickHouse alone already.'
  if (state !== 'both')
    throw new Error('The clicks are not in ClickHouse yet. Run: npm run move-clicks')
  const others = await queryAs<{ host: string }>(
    database,
    { ...caller, readOnly: true },
    `select host from app.servers where seen_at > now() - interval '45 seconds' and not reads_clickhouse order by host`,
  )
  if (others.length > 0)
    throw new Error(
      `These servers have no CLICKHOUSE_URL, or an older version: ${others.map(({ host }) => host).join(', ')}. Add the line and restart them first.`,
    )
  await queryAs(database, caller, 'select app.drop_postgres_clicks()')
  return 'ClickHouse alone has the clicks now. There is no way back but a backup.'
}

/** @throws {Error} when ClickHouse alone has the clicks, or another command copies */
export async function undoMove(
  { database, settings }: MoveDeps,
  print: (line: string) => void,
): Promise<string> {
  return withMove(database, print, () => dropMoved(database, settings))
}

async function dropMoved(database: Database, settings: ClickHouseSettings): Promise<string> {
  const { state } = await readClickStore(database)
  if (state === 'clickhouse')
    throw new Error('ClickHouse alone has the clicks: PostgreSQL cannot have them back.')
  if (state === 'postgres') return 'PostgreSQL alone has the clicks already.'
  await queryAs(database, caller, 'select app.drop_clickhouse_clicks()')
  const client = openClickHouse(settings)
  try {
    for (const table of ownTables)
      await client.command({ query: `drop table if exists ${table} ${onCluster(settings)} sync` })
  } finally {
    await client.close()
  }
  return 'PostgreSQL alone has the clicks now. Remove CLICKHOUSE_URL, or begin again.'
}
