import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { queryAs, valueAs } from '../../postgres/rows.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'
import {
  type ClickHouseSettings,
  insertLines,
  onCluster,
  openClickHouse,
  selectRows,
} from './client.ts'
import { deleteForgotten, deleteUndoneImports, deleteUnusedScopes } from './deletions.ts'
import { inSample, prepareClickHouse, tablesOfAccounts } from './schema.ts'
import { type ClickHouseDeps, worker, workerReads } from './worker.ts'
import { withClickLease } from './leases.ts'

interface DeliveriesDeps {
  database: Database
  settings: ClickHouseSettings
  log: Logger
}

interface Lease extends Record<string, unknown> {
  number: string
  token: string
  kind: 'h' | 'p'
  is_repeat: boolean
}

interface OutboxState extends Record<string, unknown> {
  hits: string
  oldest_seconds: number
}

const intervalMs = 1_000
/** A delivery is one insert; ClickHouse wants few large ones. About 10 MB of text. */
const maxHits = 50_000
/** Twice as long as an insert may take: no other server repeats one that is under way. */
const leaseSeconds = 60
/** Maximum of rows that one round deletes from the outbox. */
const maxDeletedRows = 5_000
const scopesIntervalMs = 60 * 60_000

export const tableOf = { h: 'click_hits', p: 'popup_events' } as const

export type Deliveries = ReturnType<typeof startDeliveries>

/** Moves the outbox (database/code/17_clickhouse.sql) to ClickHouse. While that is down, hits wait and nothing else does. */
export function startDeliveries({ database, settings, log }: DeliveriesDeps) {
  const client = openClickHouse(settings)
  const deps: ClickHouseDeps = { database, client, settings, log }
  const totals = { hits: 0, errors: 0 }
  let isUp = true
  let isReady = false
  let isClosing = false
  let scopesAt = performance.now() + scopesIntervalMs

  const getReady = async () => {
    const facts = 'select id from app.click_store_facts()'
    const store = await valueAs<string>(database, workerReads, facts)
    await prepareClickHouse(settings, store ?? '')
    await deleteLostDeliveries(deps)
    isReady = true
  }
  const deliver = async () => {
    await queryAs(database, worker, 'select app.tidy_click_outbox($1)', [maxDeletedRows])
    try {
      if (!isReady) await getReady()
      while (!isClosing) {
        const hits = await deliverNext(deps)
        if (hits === undefined) break
        totals.hits += hits
      }
      await deleteForgotten(deps)
      await deleteUndoneImports(deps)
      if (performance.now() > scopesAt) {
        scopesAt = performance.now() + scopesIntervalMs
        await deleteUnusedScopes(deps)
      }
      if (!isUp) log.info('hits are delivered to ClickHouse again')
      isUp = true
    } catch (error) {
      totals.errors++
      if (isUp) log.warn({ err: error }, 'hits wait for ClickHouse')
      isUp = false
      // Either database may be another one now: restored, or a standby.
      isReady = false
    }
  }
  const timing = { everyMs: intervalMs, firstRunMs: 0 }
  const job = startPeriodicJob(log, 'delivery of hits to ClickHouse', timing, deliver)
  return {
    job,
    /** Counts of this server, and the waiting hits of all servers of the database. */
    async status() {
      const [state] = await queryAs<OutboxState>(
        database,
        workerReads,
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
      isClosing = true
      await job.close()
      await client.close()
    },
  }
}

/**
 * Delivers the oldest delivery with an expired lease, or a new one.
 *
 * @param repeatsOnly also while deliveries are paused, but begins none
 * @returns how many hits and events of popups it had; undefined when nothing waits
 */
export async function deliverNext(
  { database, client, settings }: ClickHouseDeps,
  repeatsOnly = false,
): Promise<number | undefined> {
  const [lease] = await queryAs<Lease>(
    database,
    worker,
    'select * from app.lease_click_delivery($1, $2, $3)',
    [maxHits, leaseSeconds, repeatsOnly],
  )
  if (!lease) return undefined
  const { number, token, kind, is_repeat: isRepeat } = lease
  const table = tableOf[kind]
  // Tokens are forgotten in time, so a repeat asks for the result of the first try.
  const stored = isRepeat
    ? await selectRows<{ month: number }>(
        client,
        `select distinct toYYYYMM(at) as month from ${table} where delivery = {number: Int64}`,
        { number },
      )
    : []
  const lines = await valueAs<string | null>(
    database,
    workerReads,
    'select app.delivery_lines($1, $2)',
    [number, stored.map(({ month }) => month)],
  )
  if (lines) await insertLines(client, table, lines, token)
  if (isRepeat && kind === 'h') await sampleAgain({ client, settings }, number)
  const end = 'select app.end_click_delivery($1)'
  return Number((await valueAs<string>(database, worker, end, [number])) ?? 0)
}

/** A try that was broken off may have stored hits without their sample, or the other way round. */
async function sampleAgain(
  { client, settings }: Pick<ClickHouseDeps, 'client' | 'settings'>,
  number: string,
): Promise<void> {
  await client.command({
    query: `delete from click_samples ${onCluster(settings)} where delivery = {number: Int64}`,
    query_params: { number },
  })
  await client.command({
    query: `insert into click_samples select * from click_hits where delivery = {number: Int64} and ${inSample(32)}`,
    query_params: { number },
    // The same rows as before are no repetition: they have just been deleted.
    clickhouse_settings: { insert_deduplicate: 0 },
  })
}

/**
 * Deliveries that ClickHouse has and PostgreSQL does not know were made after the moment that PostgreSQL was restored to. They are
 * deleted: that time did not happen, or the click log brings its hits again. Numbers are committed in PostgreSQL first, so without
 * a restore there are none.
 *
 * @returns how many such deliveries there were at most
 */
async function deleteLostDeliveries(deps: ClickHouseDeps): Promise<number> {
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
