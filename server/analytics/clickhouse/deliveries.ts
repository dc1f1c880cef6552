import type { ClickHouseClient } from '@clickhouse/client'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { type PeriodicJob, startPeriodicJob } from '../../primitives/periodic-job.ts'
import { queryAs } from '../../postgres/rows.ts'
import { type ClickHouseSettings, openClickHouse } from './client.ts'

interface DeliveriesDeps {
  database: Database
  settings: ClickHouseSettings
  log: Logger
}

interface OutboxState extends Record<string, unknown> {
  hits: string
  oldest_seconds: number
}

const intervalMs = 1_000
/** A delivery is one insert; ClickHouse wants few large ones. */
const maxHits = 20_000
/** Twice as long as an insert may take: no other server repeats one that is under way. */
const leaseSeconds = 60
/** About 5 GB of PostgreSQL, or an hour of 10,000 hits a second. */
const maxWaitingHits = 36_000_000

export type Deliveries = Awaited<ReturnType<typeof startDeliveries>>

/** Moves the outbox of hits (migration 0026) to ClickHouse. While that is down, hits wait and nothing else does. */
export async function startDeliveries({ database, settings, log }: DeliveriesDeps) {
  const caller = { role: 'hoplet_worker', statementTimeout: 30_000 } as const
  const client = openClickHouse(settings)
  const totals = { hits: 0, errors: 0 }
  let isUp = true
  await queryAs(database, caller, 'select app.keep_click_outbox($1)', [maxWaitingHits])

  const deliverNext = async (): Promise<boolean> => {
    const [lease] = await queryAs<{ delivery: string | null }>(
      database,
      caller,
      'select app.lease_click_delivery($1, $2) as delivery',
      [maxHits, leaseSeconds],
    )
    if (!lease?.delivery) return false
    const rows = await queryAs<{ hit: unknown[] }>(
      database,
      { ...caller, readOnly: true },
      'select app.delivered_hits($1) as hit',
      [lease.delivery],
    )
    const hits = rows.map(({ hit }) => hit)
    await insertHits(client, hits, lease.delivery)
    await queryAs(database, caller, 'select app.end_click_delivery($1)', [lease.delivery])
    totals.hits += hits.length
    return true
  }
  const eraseAccounts = async () => {
    const [due] = await queryAs<{ accounts: number[] }>(
      database,
      { ...caller, readOnly: true },
      'select app.due_clickhouse_erasures() as accounts',
    )
    const accounts = due?.accounts ?? []
    if (accounts.length === 0) return
    const cluster = settings.cluster ? `on cluster '${settings.cluster}'` : ''
    await client.command({
      query: `delete from click_hits ${cluster} where account in ({accounts: Array(Int32)})`,
      query_params: { accounts },
    })
    await queryAs(database, caller, 'select app.end_clickhouse_erasures($1)', [accounts])
  }
  const job: PeriodicJob = startPeriodicJob({
    name: 'delivery of hits to ClickHouse',
    intervalMs,
    log,
    async work() {
      try {
        while (await deliverNext());
        await eraseAccounts()
        if (!isUp) log.info('hits are delivered to ClickHouse again')
        isUp = true
      } catch (error) {
        totals.errors++
        if (isUp) log.warn({ err: error }, 'hits wait for ClickHouse')
        isUp = false
      }
    },
  })
  return {
    job,
    /** Counts of this server, and what all servers of the database have waiting. */
    async status() {
      const [state] = await queryAs<OutboxState>(
        database,
        { ...caller, readOnly: true },
        'select * from app.click_outbox_state()',
      )
      return {
        ...totals,
        isUp,
        waiting: Number(state?.hits ?? 0),
        oldestSeconds: Number(state?.oldest_seconds ?? 0),
      }
    },
    async close() {
      await job.close()
      await client.close()
    },
  }
}

/** Inserts the hits of a delivery. ClickHouse takes a token only once (docs/decisions/0083). */
export async function insertHits(
  client: ClickHouseClient,
  hits: readonly unknown[][],
  token: string,
): Promise<void> {
  await client.insert({
    table: 'click_hits',
    values: hits,
    format: 'JSONCompactEachRow',
    clickhouse_settings: { insert_deduplication_token: token, insert_deduplicate: 1 },
  })
}
