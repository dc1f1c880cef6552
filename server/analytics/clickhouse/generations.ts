import type { ClickHouseClient } from '@clickhouse/client'
import type { Logger } from '../../log.ts'
import type { Caller, Database } from '../../postgres/database.ts'
import { queryAs } from '../../postgres/rows.ts'
import { type ClickHouseSettings, onCluster, selectRows } from './client.ts'
import { tablesOfAccounts } from './schema.ts'

export interface ClickHouseDeps {
  database: Database
  client: ClickHouseClient
  settings: ClickHouseSettings
  log: Logger
}

export const worker = { role: 'hoplet_worker', statementTimeout: 30_000 } as const satisfies Caller
const pauseSeconds = 600

/**
 * Deliveries that ClickHouse has and PostgreSQL does not know were made after the moment that PostgreSQL was restored to. They are
 * deleted: that time did not happen, or the click log brings its hits again. Numbers are committed in PostgreSQL first, so without
 * a restore there are none.
 *
 * @returns how many such deliveries there were at most
 */
export async function forgetLostDeliveries(deps: ClickHouseDeps): Promise<number> {
  if ((await compareNumbers(deps)).lost === 0) return 0
  const { database, client, settings, log } = deps
  const [row] = await queryAs<{ paused: boolean }>(
    database,
    worker,
    'select app.pause_click_deliveries($1) as paused',
    [pauseSeconds],
  )
  if (!row?.paused) throw new Error('another server compares ClickHouse with PostgreSQL')
  try {
    // Another server may have been quicker.
    const { lost, last } = await compareNumbers(deps)
    if (lost === 0) return 0
    for (const { table } of tablesOfAccounts)
      await client.command({
        query: `delete from ${table} ${onCluster(settings)} where delivery > {last: Int64}`,
        query_params: { last },
      })
    await queryAs(database, worker, 'select app.begin_click_generation($1)', [last])
    log.warn({ deliveries: lost }, 'PostgreSQL was restored: hits after that moment were deleted')
    return lost
  } finally {
    await queryAs(database, worker, 'select app.end_click_pause()')
  }
}

async function compareNumbers({ database, client }: ClickHouseDeps) {
  // ClickHouse first: a delivery in between is known to PostgreSQL.
  const [there] = await selectRows<{ last: string }>(
    client,
    `select greatest(${tablesOfAccounts.map(({ table }) => `(select max(delivery) from ${table})`).join(', ')}) as last`,
  )
  const [here] = await queryAs<{ last: string }>(
    database,
    { ...worker, readOnly: true },
    'select app.last_click_delivery() as last',
  )
  const last = Number(here?.last ?? 0)
  return { last, lost: Math.max(0, Number(there?.last ?? 0) - last) }
}
