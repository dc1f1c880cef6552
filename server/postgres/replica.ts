import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from '../log.ts'
import { createCounts } from '../primitives/counts.ts'
import { DeadlineExceededError, withDeadline } from '../primitives/deadline.ts'
import { createWaitingRoom } from '../primitives/waiting-room.ts'
import { matchError } from '../primitives/caught-error.ts'
import {
  type Caller,
  MemberRoleError,
  SecondFactorMissingError,
  SessionEndedError,
} from './begin.ts'
import { type Database, DatabaseUnavailableError, type Transaction } from './database.ts'
import { fallbackReasons, freshnesses, readTargets } from './replica-measures.ts'
import { readServerState } from './replica-state.ts'
import {
  NoReplicaError,
  probeIntervalMs,
  ReplicaBehindError,
  watchReplica,
  maxLagMs,
  type ReplicaWatch,
} from './replica-watch.ts'
import { ifDefined } from '../primitives/if-defined.ts'

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

const maxWaitForPrimaryMs = 2_000

/**
 * Sends reads that name a `replica` to a second server, and to the primary whenever that server cannot have them: it is
 * down, slow, behind, or not a replica of this primary. See docs/decisions/0035.
 */
export function withReplica(deps: ReplicaDeps): Database {
  const { primary, replica, log, now = () => performance.now() } = deps
  const reads = createCounts(freshnesses, readTargets)
  const fallbacks = createCounts(fallbackReasons)
  const room = createWaitingRoom(deps.maxReportsOnPrimary)
  const watch = watchReplica({ primary, replica, log, now })

  const onReplica = createReplicaReads({ replica, watch, now })

  const readOnReplica = async <T>(
    caller: Caller,
    needed: bigint | undefined,
    work: (db: Transaction) => Promise<T>,
  ): Promise<T | typeof fellBack> => {
    try {
      return await (needed === undefined
        ? onReplica.lagging(caller, work)
        : onReplica.caughtUp(caller, needed, work))
    } catch (error) {
      const reason = reasonOf(error)
      if (!reason) throw error
      fallbacks.add(reason)
      if (reason === 'failed' || reason === 'conflict' || error instanceof DeadlineExceededError)
        watch.pause(error)
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
    const isBehind = freshness === 'caught-up' && (watch.lagMs() ?? 0) > probeIntervalMs
    if (watch.isUp() && !isBehind) {
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
    load() {
      const { doors, visits } = replica.load()
      return { ...primary.load(), replica_doors: doors, replica_visits: visits }
    },
    replica() {
      const lagMs = watch.lagMs()
      const lagSeconds = ifDefined(lagMs, (ms) => ms / 1_000)
      return { isUp: watch.isUp() && watch.isLookedAt(), lagSeconds, reads, fallbacks }
    },
    async close() {
      await watch.close()
      await Promise.all([primary.close(), replica.close()])
    },
  }
}

const fellBack = Symbol('fell back')

/** Why the primary should be asked instead; undefined for an error that it would answer with too. */
function reasonOf(error: unknown): (typeof fallbackReasons)[number] | undefined {
  return matchError(
    error,
    [ReplicaBehindError, () => 'behind'],
    [DeadlineExceededError, () => 'slow'],
    [DatabaseUnavailableError, () => 'failed'],
    [NoReplicaError, () => 'failed'],
    // The session is checked before the replica's position: the primary has just found it alive.
    [SessionEndedError, () => 'behind'],
    [SecondFactorMissingError, () => 'behind'],
    [MemberRoleError, () => 'behind'],
    [pg.DatabaseError, ({ code = '' }) => reasonsByCode.find(([codes]) => codes.test(code))?.[1]],
  )
}

/** By SQLSTATE; the first match counts. */
const reasonsByCode = [
  // One person's report that takes too long says nothing about the replica: no pause.
  [/^57014/, 'slow'],
  [/^40/, 'conflict'],
  // A schema that is older for a moment, for example.
  [/^42(?!501)/, 'behind'],
  [/^(0A|25|53|54|55|57|58|XX)/, 'failed'],
] as const

interface ReplicaReadsDeps {
  replica: Database
  watch: Pick<ReplicaWatch, 'asOf' | 'positionOf'>
  /** Milliseconds, monotonic. */
  now: () => number
}

/** How long a read waits until the replica has replayed earlier commits. */
const maxCatchUpMs = 250
const catchUpPollMs = 10
/** Visitors wait for a name: after this long the primary is asked. */
const laggingTimeoutMs = 1_000

/** Reads of the replica, by freshness. @throws {ReplicaBehindError} when its rows are too old */
function createReplicaReads({ replica, watch, now }: ReplicaReadsDeps) {
  return {
    /** Rows that may be some seconds old. `work` learns how old, and decides whether that will do. */
    lagging: <T>(caller: Caller, work: (db: Transaction) => Promise<T>): Promise<T> =>
      withDeadline(laggingTimeoutMs, () =>
        replica.transactionAs(
          { ...caller, statementTimeout: laggingTimeoutMs, isOneQuery: false },
          async (db) => {
            const asOf = watch.asOf(await readServerState(db))
            if (asOf === undefined || now() - asOf > maxLagMs)
              throw new ReplicaBehindError('the replica is too far behind')
            return work({ query: db.query, asOf })
          },
        ),
      ),
    /** Rows with all that was committed before, by any server. @param needed position of the primary */
    caughtUp: <T>(
      caller: Caller,
      needed: bigint,
      work: (db: Transaction) => Promise<T>,
    ): Promise<T> =>
      replica.transactionAs({ ...caller, isOneQuery: false }, async (db) => {
        for (const until = now() + maxCatchUpMs; ; await sleep(catchUpPollMs)) {
          if (watch.positionOf(await readServerState(db)) >= needed) return work(db)
          if (now() > until) throw new ReplicaBehindError('the replica did not catch up in time')
        }
      }),
  }
}
