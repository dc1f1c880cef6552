import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { createVisitorIdentifier } from '../visits/visitor/visitor-identity.ts'
import { openVisitorKeys } from '../visits/visitor/visitor-keys.ts'
import { createVisitorShares } from '../visits/visitor/visitor-shares.ts'
import type { Jobs, PeriodicJob } from '../primitives/jobs.ts'
import { createConcurrencyLimit } from '../primitives/concurrency-limit.ts'
import type { Deliveries } from './clickhouse/deliveries.ts'
import { startClickMails } from './click-mails.ts'
import { openPlaces } from './hits/places.ts'
import { createLiveHits } from './live/live-hits.ts'
import { createRecentClocks, type RecentClocks } from './recent-clocks.ts'
import { createOwnBrowsers } from './own-browsers.ts'
import { openHitReaders } from './reports/hit-reader.ts'
import { startMoves } from './store/moves.ts'
import { startRollups } from './store/rollups.ts'
import { recordIncident } from './incidents.ts'

interface AnalyticsDeps {
  config: Pick<Config, 'clickhouse' | 'geoipDatabase'>
  database: Database
  log: Logger
  jobs: Jobs
}

/** Parts for explained clicks: pseudonymous visitors, the store of hits, and its rollups. */
export async function openAnalytics({ config, database, log, jobs }: AnalyticsDeps) {
  const keys = openVisitorKeys({ database, log })
  // Without them this process would take its visitors for new ones until the next minute.
  await keys.refresh().catch((error: unknown) => log.warn({ err: error }, 'no visitor keys yet'))
  if (jobs.areTimed)
    await makeMonths(database).catch((error: unknown) =>
      log.warn({ err: error }, 'no partition for the clicks of this month yet'),
    )
  const deliveries = await openDeliveries({ config, database, log, jobs })
  const places = await openPlaces({ database: config.geoipDatabase, log })
  const readers = await openHitReaders({ database, clickhouse: config.clickhouse })
  const rollups = startRollups({ database, log, jobs, readers })
  const movesThere = await openMovesThere({ config, database, log, jobs })
  const moves = startMoves({ database, log, jobs, inClickHouse: movesThere?.step })
  const mails = startClickMails({ database, log, jobs, readers })
  const clocks = createRecentClocks()
  const clockWatch = startClockWatch({ database, log, jobs, clocks })
  const identify = createVisitorIdentifier(keys, places.placeOf)
  const live = createLiveHits({ database, log, clocks })
  const ownBrowsers = createOwnBrowsers({ database, identify, log })
  return {
    identify,
    sharesOf: createVisitorShares(keys),
    placeOf: places.placeOf,
    readers,
    /** To ClickHouse; undefined without it, and in a worker. */
    deliveries,
    rollups,
    /** Hits that follow moved links. */
    moves,
    mails,
    ownBrowsers,
    live,
    /** Places for lists of hits that are downloaded: one for each person. */
    downloads: createConcurrencyLimit(1),
    async close() {
      await live.close()
      await clockWatch.close()
      await ownBrowsers.close()
      await mails.close()
      await rollups.close()
      await moves.close()
      await movesThere?.close()
      await deliveries?.close()
      await readers.close()
      await keys.close()
      places.close()
    },
  }
}

/**
 * Makes the partitions of this month and the next two (retention.ts does so later). Without one, hits wait in the default
 * partition, and a report that runs while they move misses them.
 */
async function makeMonths(database: Database): Promise<void> {
  await queryAs(
    database,
    { role: 'hoplet_worker', statementTimeout: 4_000 },
    `select app.make_click_months(app.today(), (app.today() + interval '2 months')::date)`,
  )
}

/** Most servers have no ClickHouse, and need not load its client. The primary delivers the hits of its workers. */
async function openDeliveries({
  config: { clickhouse },
  jobs,
  ...deps
}: AnalyticsDeps): Promise<Deliveries | undefined> {
  if (!clickhouse || !jobs.areTimed) return undefined
  const { startDeliveries } = await import('./clickhouse/deliveries.ts')
  return startDeliveries({ ...deps, settings: clickhouse })
}

/** Steps of moved hits in ClickHouse; undefined without it. */
async function openMovesThere({ config: { clickhouse }, jobs, ...deps }: AnalyticsDeps) {
  if (!clickhouse || !jobs.areTimed) return undefined
  const { openMovedHits } = await import('./clickhouse/moved-hits.ts')
  return openMovedHits({ ...deps, settings: clickhouse })
}

const intervalMs = 1_000
/** Time synchronization makes smaller steps. */
const minStepMs = 60_000
/** Steps that wait for the database; more are not kept. */
const maxWaiting = 20

/**
 * Notices when the clock was set: hits have its time. A machine that was suspended looks the same, because the monotonic
 * clock stands still meanwhile.
 */
function startClockWatch({
  database,
  log,
  jobs,
  clocks,
}: {
  database: Database
  log: Logger
  jobs: Jobs
  clocks: RecentClocks
}): PeriodicJob {
  const waiting: number[] = []
  let last = clocks.read()
  return jobs.add('clock watch', { everyMs: intervalMs }, async () => {
    const now = clocks.read()
    const stepMs = now - last
    last = now
    if (Math.abs(stepMs) > minStepMs && waiting.length < maxWaiting) {
      const seconds = Math.round(stepMs / 1_000)
      log.warn({ seconds }, 'the clock of this machine was set')
      waiting.push(seconds)
    }
    for (let seconds = waiting[0]; seconds !== undefined; seconds = waiting[0]) {
      try {
        await recordIncident(database, { kind: 'clock', seconds })
      } catch (error) {
        log.debug({ err: error }, 'a step of the clock is not recorded yet')
        return
      }
      waiting.shift()
    }
  })
}
