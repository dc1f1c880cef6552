import { randomUUID } from 'node:crypto'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import type { Listener } from '../../postgres/listen.ts'
import { queryAs } from '../../postgres/rows.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'

interface HeartbeatDeps {
  database: Database
  listener: Listener
  log: Logger
  /** Milliseconds, monotonic. */
  now: () => number
}

const intervalMs = 5_000
const validForMs = 12_000
/** Consecutive notifications that were sent but not received before a warning: a single one may just be late. */
const maxUnheard = 3
const maxClockSkewMs = 5_000

/**
 * Verifies that notifications arrive, which an open connection alone does not prove: it notifies itself every five
 * seconds. PostgreSQL delivers notifications in commit order, so receiving ours proves that all earlier ones have
 * arrived. The heartbeat also detects a pooler that loses notifications, a database that does not respond, and a clock
 * that differs from the database's.
 */
export function startHeartbeat({ database, listener, log, now }: HeartbeatDeps) {
  const id = randomUUID()
  const compareClock = createClockCheck(log)
  let beats = 0
  let sentAt = Number.NEGATIVE_INFINITY
  let heardAt = Number.NEGATIVE_INFINITY
  let unheard = 0
  let isAnswering = true
  let roundTripMs: number | undefined
  const payload = () => `ping:${id}:${beats}`

  let clockSkewMs: number | undefined

  const beat = async () => {
    beats++
    sentAt = now()
    try {
      const [row] = await queryAs<{ ms: string }>(
        database,
        { role: 'hoplet_visits', statementTimeout: 2_000 },
        `select extract(epoch from clock_timestamp()) * 1000 as ms, pg_notify('hoplet_names', $1)`,
        [payload()],
      )
      isAnswering = true
      roundTripMs = now() - sentAt
      clockSkewMs = compareClock(Number(row?.ms))
    } catch {
      isAnswering = false
      roundTripMs = undefined
      // The notification was not sent, so its absence proves nothing.
      unheard = 0
    }
  }
  const countUnheard = () => {
    const wasHeard = heardAt === sentAt || beats === 0
    unheard = wasHeard || !listener.connected() ? 0 : unheard + 1
    if (unheard !== maxUnheard) return
    log.warn(
      'database notifications do not arrive, so edits take some seconds to show: if DATABASE_URL is a pooler in transaction mode, set DATABASE_LISTEN_URL to the database itself',
    )
  }
  listener.on(
    'hoplet_names',
    (received) => {
      if (received !== payload()) return
      heardAt = sentAt
      if (unheard >= maxUnheard) log.info('database notifications arrive again')
      unheard = 0
    },
    () => {
      heardAt = Number.NEGATIVE_INFINITY
      void beat()
    },
  )
  const job = startPeriodicJob(log, 'heartbeat', { everyMs: intervalMs }, () => {
    countUnheard()
    return beat()
  })
  return {
    /** True while this server receives its own notifications. */
    receivesNotifications: () => now() - heardAt < validForMs,
    /** False after a heartbeat that failed. */
    isDatabaseAnswering: () => isAnswering,
    /**
     * Measures of the last heartbeat, in milliseconds: how long it took, undefined after a failure, and how far this machine's clock
     * is ahead of the database's.
     */
    measures: () => ({ roundTripMs, clockSkewMs }),
    close: job.close,
  }
}

/** Warns when this machine's clock differs from the database's: limits, sessions and reports use both. Returns by how much. */
function createClockCheck(log: Logger): (databaseMs: number) => number {
  let isSkewed = false
  return (databaseMs) => {
    const skewMs = Math.round(Date.now() - databaseMs)
    const wasSkewed = isSkewed
    isSkewed = Math.abs(skewMs) > maxClockSkewMs
    if (isSkewed && !wasSkewed)
      log.warn({ skew_ms: skewMs }, "this machine's clock differs from the database's")
    return skewMs
  }
}
