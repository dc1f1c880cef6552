import pg from 'pg'
import type { Logger } from '../log.ts'
import { startPeriodicJob } from '../primitives/jobs.ts'
import { type Database, DatabaseUnavailableError } from './database.ts'
import {
  createPositionHistory,
  readServerState,
  readTimeline,
  type ServerState,
} from './replica-state.ts'

export interface WatchDeps {
  primary: Database
  /** Its pools lead to DATABASE_READ_URL. */
  replica: Database
  log: Logger
  /** Milliseconds, monotonic. */
  now: () => number
}

/** A replica that is further behind, or has an unknown lag, is not used. */
export const maxLagMs = 5_000
export const probeIntervalMs = 1_000
const maxPauseMs = 30_000
const probe = { role: 'hoplet_visits', readOnly: true, statementTimeout: 2_000 } as const

/** The replica has not replayed enough. */
export class ReplicaBehindError extends Error {
  name = 'ReplicaBehindError'
}

/** The server at DATABASE_READ_URL does not have the history of the primary. */
export class NoReplicaError extends Error {
  name = 'NoReplicaError'
}

export type ReplicaWatch = ReturnType<typeof watchReplica>

/** Compares a replica with its primary once a second: whether it is used, and how far it lags. */
export function watchReplica({ primary, replica, log, now }: WatchDeps) {
  const history = createPositionHistory()
  let primaryState: ServerState | undefined
  let knowsTimelines = true
  let lagMs: number | undefined
  let isUp = false
  let wasReported = false
  let failures = 0
  let pausedUntil = Number.NEGATIVE_INFINITY

  const setUp = (up: boolean, reason?: unknown) => {
    isUp = up
    if (up === !wasReported) return
    wasReported = !up
    if (up) log.info('the read replica is used again')
    else log.warn({ err: reason }, 'the read replica is not used: its reads go to the primary')
  }
  /** Full jitter, so that the servers of a database do not come back to it together. */
  const pause = (error: unknown) => {
    failures++
    const longestMs = Math.min(maxPauseMs, probeIntervalMs * 2 ** failures)
    pausedUntil = now() + Math.random() * longestMs
    lagMs = undefined
    setUp(false, error)
  }
  /** The position of the server that answers at the read URL, if it belongs to this primary. */
  const positionOf = ({ inRecovery, position, startedAt }: ServerState): bigint => {
    if (position === undefined) throw new NoReplicaError('it does not tell what it has replayed')
    if (!inRecovery && startedAt !== primaryState?.startedAt)
      throw new NoReplicaError('it is a different primary than DATABASE_URL')
    return position
  }
  const compareTimelines = async () => {
    if (!knowsTimelines) return
    try {
      const [own, other] = await Promise.all([
        primary.transactionAs(probe, readTimeline),
        replica.transactionAs(probe, readTimeline),
      ])
      if (own !== other)
        throw new NoReplicaError(`it is on timeline ${other}, and the primary on ${own}`)
    } catch (error) {
      // Managed offerings may not allow the question.
      if (!(error instanceof pg.DatabaseError)) throw error
      knowsTimelines = false
    }
  }
  const compare = async (at: number, position: bigint) => {
    const replayed = positionOf(await replica.transactionAs(probe, readServerState))
    await compareTimelines()
    const asOf = history.asOf(replayed)
    lagMs = replayed >= position ? 0 : asOf === undefined ? undefined : at - asOf
    failures = 0
    if (lagMs !== undefined && lagMs <= maxLagMs) return setUp(true)
    setUp(false, new ReplicaBehindError(`it is ${lagMs ?? 'unknown'} ms behind`))
  }
  const look = async () => {
    if (now() < pausedUntil) return
    const at = now()
    const state = await primary.transactionAs(probe, readServerState).catch((error: unknown) => {
      // Others report a primary that is down. Meanwhile the last known lag of the replica gets too old.
      if (!(error instanceof DatabaseUnavailableError)) setUp(false, error)
    })
    if (state?.position === undefined) return
    if (state.startedAt !== primaryState?.startedAt) history.clear()
    primaryState = state
    history.add(at, state.position)
    await compare(at, state.position).catch(pause)
  }
  const job = startPeriodicJob(log, 'replica', { everyMs: probeIntervalMs, firstRunMs: 0 }, look)
  return {
    /** Milliseconds; undefined where it is not known. */
    lagMs: () => lagMs,
    isUp: () => isUp,
    isLookedAt: () => now() - (history.lastAt() ?? Number.NEGATIVE_INFINITY) <= maxLagMs,
    /** When the primary was where this server is; undefined where that is not known. */
    asOf: (state: ServerState) => history.asOf(positionOf(state)),
    positionOf,
    pause,
    close: job.close,
  }
}
