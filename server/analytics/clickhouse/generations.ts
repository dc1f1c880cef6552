import { queryAs, valueAs } from '../../postgres/rows.ts'
import { onCluster, selectRows } from './client.ts'
import { withClickLease } from './leases.ts'
import { tablesOfAccounts } from './schema.ts'
import { type ClickHouseDeps, worker, workerReads } from './worker.ts'

/**
 * Deliveries that ClickHouse has and PostgreSQL does not know were made after the moment that PostgreSQL was restored to. They are
 * deleted: that time did not happen, or the click log brings its hits again. Numbers are committed in PostgreSQL first, so without
 * a restore there are none.
 *
 * @returns how many such deliveries there were at most
 */
export async function deleteLostDeliveries(deps: ClickHouseDeps): Promise<number> {
  if ((await compareNumbers(deps)).lost === 0) return 0
  const { database, client, settings, log } = deps
  return withClickLease(database, { name: 'pause', waitMs: 0 }, async () => {
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
  })
}

async function compareNumbers({ database, client }: ClickHouseDeps) {
  // ClickHouse first: a delivery in between is known to PostgreSQL.
  const [there] = await selectRows<{ last: string }>(
    client,
    `select greatest(${tablesOfAccounts.map(({ table }) => `(select max(delivery) from ${table})`).join(', ')}) as last`,
  )
  const here = await valueAs<string>(database, workerReads, 'select app.last_click_delivery()')
  const last = Number(here ?? 0)
  return { last, lost: Math.max(0, Number(there?.last ?? 0) - last) }
}
