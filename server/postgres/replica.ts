import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../log.ts'
import { createCounts } from '../primitives/counts.ts'
import { DeadlineExceededError, withDeadline } from '../primitives/deadline.ts'
import { startPeriodicJob } from '../primitives/periodic-job.ts'
import { createWaitingRoom } from '../primitives/waiting-room.ts'
import { type Caller, SecondFactorMissingError, SessionEndedError } from './begin.ts'
import { type Database, DatabaseUnavailableError, type Transaction } from './database.ts'
import { fallbackReasons, freshnesses, readTargets } from './replica-measures.ts'
import {
  createPositionHistory,
  readServerState,
  readTimeline,
  type ServerState,
} from './replica-state.ts'

interface ReplicaDeps {
  primary: Database
  /** Its pools lead to DATABASE_READ_URL. */
  replica: Database
  log: Logger
  /** Reads that may be on the primary at once because the replica cannot have them. */
  maxReportsOnPrimary: number
  /** Milliseconds, monotonic. */
  now?: () => number
}

/** A replica that is further behind, or whose lag is not known, is not used. */
const maxLagMs = 5_000
const probeIntervalMs = 1_000
/** How long a read waits until the replica has replayed what was committed before it. */
const maxCatchUpMs = 250
const catchUpPollMs = 10
/** Visitors wait for a name: after this long the primary is asked. */
const laggingTimeoutMs = 1_000
const maxPauseMs = 30_000
const maxWaitForPrimaryMs = 2_000
const probe = { role: 'hoplet_visits', readOnly: true, statementTimeout: 2_000 } as const

/** The replica has not replayed enough. */
class ReplicaBehindError extends Error {
  name = 'ReplicaBehindError'
}

/** What answers at DATABASE_READ_URL does not have the history of the primary. */
class NoReplicaError extends Error {
  name = 'NoReplicaError'
}

/**
 * Sends reads that name a `replica` to a second server, and to the primary whenever that server cannot have them: it is
 * down, slow, behind, or not a replica of this primary. See docs/decisions/0035.
 */
export function withReplica(deps: ReplicaDeps): Database {
  const { primary, replica, log, now = () => performance.now() } = deps
  const reads = createCounts(freshnesses, readTargets)
  const fallbacks = createCounts(fallbackReasons)
  const history = createPositionHistory()
  const room = createWaitingRoom(deps.maxReportsOnPrimary)
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
      throw new NoReplicaError('it is a primary, and not that of DATABASE_URL')
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
      // Others report a primary that is down. Meanwhile what is known of the replica's lag gets too old.
      if (!(error instanceof DatabaseUnavailableError)) setUp(false, error)
    })
    if (state?.position === undefined) return
    if (state.startedAt !== primaryState?.startedAt) history.clear()
    primaryState = state
    history.add(at, state.position)
    await compare(at, state.position).catch(pause)
  }
  const job = startPeriodicJob({
    name: 'replica',
    intervalMs: probeIntervalMs,
    firstRunMs: 0,
    log,
    work: look,
  })

  /** Rows that may be some seconds old. `work` learns how old, and decides whether that will do. */
  const readLagging = <T>(caller: Caller, work: (db: Transaction) => Promise<T>): Promise<T> =>
    withDeadline(laggingTimeoutMs, () =>
      replica.transactionAs({ ...caller, statementTimeout: laggingTimeoutMs }, async (db) => {
        const asOf = history.asOf(positionOf(await readServerState(db)))
        if (asOf === undefined || now() - asOf > maxLagMs)
          throw new ReplicaBehindError('the replica is too far behind')
        return work({ query: db.query, asOf })
      }),
    )
  /** Rows with all that was committed before, by any server. */
  const readCaughtUp = <T>(
    caller: Caller,
    needed: bigint,
    work: (db: Transaction) => Promise<T>,
  ): Promise<T> =>
    replica.transactionAs(caller, async (db) => {
      for (const until = now() + maxCatchUpMs; ; await sleep(catchUpPollMs)) {
        if (positionOf(await readServerState(db)) >= needed) return work(db)
        if (now() > until) throw new ReplicaBehindError('the replica did not catch up in time')
      }
    })
  const readOnReplica = async <T>(
    caller: Caller,
    needed: bigint | undefined,
    work: (db: Transaction) => Promise<T>,
  ): Promise<T | typeof fellBack> => {
    try {
      return await (needed === undefined
        ? readLagging(caller, work)
        : readCaughtUp(caller, needed, work))
    } catch (error) {
      const reason = reasonOf(error)
      if (!reason) throw error
      fallbacks.add(reason)
      if (reason === 'failed' || reason === 'conflict' || error instanceof DeadlineExceededError)
        pause(error)
      return fellBack
    }
  }
  /** Asked on the primary as the caller, which also checks that the session is alive now. */
  const neededFor = async (caller: Caller) => {
    const { position } = await primary.transactionAs(caller, readServerState)
    return position
  }
  const read = async <T>(caller: Caller, work: (db: Transaction) => Promise<T>): Promise<T> => {
    const freshness = caller.replica ?? 'caught-up'
    const isBehind = freshness === 'caught-up' && (lagMs ?? 0) > probeIntervalMs
    if (isUp && !isBehind) {
      const needed = freshness === 'caught-up' ? await neededFor(caller) : undefined
      const result = await readOnReplica(caller, needed, work)
      if (result !== fellBack) {
        reads.add(freshness, 'replica')
        return result
      }
    } else fallbacks.add(isBehind ? 'behind' : 'unused')
    reads.add(freshness, 'primary')
    if (freshness === 'lagging') return primary.transactionAs(caller, work)
    const leave = await room.enter(maxWaitForPrimaryMs)
    if (!leave) throw new DatabaseUnavailableError('too many reports for the primary')
    try {
      return await primary.transactionAs(caller, work)
    } finally {
      leave()
    }
  }

  return {
    transactionAs: (caller, work) =>
      caller.replica === undefined ? primary.transactionAs(caller, work) : read(caller, work),
    query: (caller, text, values) =>
      caller.replica === undefined
        ? primary.query(caller, text, values)
        : read(caller, (db) => db.query(text, values)),
    readOften: (caller, often, values) =>
      caller.replica === undefined
        ? primary.readOften(caller, often, values)
        : read({ ...caller, readOnly: true }, async ({ query, asOf }) => {
            const { rows } = await query(often.text, [values])
            return { rows: rows as never[], asOf }
          }),
    load() {
      const { doors, visits } = replica.load()
      return { ...primary.load(), replica_doors: doors, replica_visits: visits }
    },
    replica: () => ({
      isUp: isUp && now() - (history.lastAt() ?? Number.NEGATIVE_INFINITY) <= maxLagMs,
      lagSeconds: lagMs === undefined ? undefined : lagMs / 1_000,
      reads,
      fallbacks,
    }),
    async close() {
      await job.close()
      await Promise.all([primary.close(), replica.close()])
    },
  }
}

const fellBack = Symbol('fell back')

/** Why the primary should be asked instead; undefined for an error that it would answer with too. */
function reasonOf(error: unknown): (typeof fallbackReasons)[number] | undefined {
  if (error instanceof ReplicaBehindError) return 'behind'
  if (error instanceof DeadlineExceededError) return 'slow'
  if (error instanceof DatabaseUnavailableError || error instanceof NoReplicaError) return 'failed'
  // The session is checked before the replica's position: the primary has just found it alive.
  if (error instanceof SessionEndedError || error instanceof SecondFactorMissingError)
    return 'behind'
  if (!(error instanceof pg.DatabaseError)) return undefined
  const { code = '' } = error
  // One person's report that takes too long says nothing about the replica: no pause.
  if (code === '57014') return 'slow'
  if (code.startsWith('40')) return 'conflict'
  // A schema that is older for a moment, for example.
  if (code.startsWith('42')) return code === '42501' ? undefined : 'behind'
  return /^(0A|25|53|54|55|57|58|XX)/.test(code) ? 'failed' : undefined
}
