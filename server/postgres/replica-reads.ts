import { setTimeout as sleep } from 'node:timers/promises'
import { withDeadline } from '../primitives/deadline.ts'
import type { Caller } from './begin.ts'
import type { Database, Transaction } from './database.ts'
import { readServerState } from './replica-state.ts'
import { maxLagMs, ReplicaBehindError, type ReplicaWatch } from './replica-watch.ts'

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
export function createReplicaReads({ replica, watch, now }: ReplicaReadsDeps) {
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
