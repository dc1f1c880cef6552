import type { Logger } from '../../log.ts'
import {
  type Database,
  DatabaseUnavailableError,
  type Transaction,
} from '../../postgres/database.ts'
import { returnToken, takeToken } from '../../postgres/token-bucket.ts'
import { isLockFailure } from '../../primitives/error-code.ts'
import type { BucketPolicy, RateLimits } from '../../primitives/token-bucket.ts'
import type { SecretBox } from '../secret-box.ts'

export interface Buckets {
  /**
   * Takes one token of `subject` under `policy`. The subject may be private: only a keyed digest of it is stored.
   *
   * @returns undefined when allowed, else the seconds to wait (at least 1)
   */
  take(policy: BucketPolicy, subject: string): Promise<number | undefined>
  /** The part of `take` that is left after `Budgets.takeHere`: the token that all servers share. */
  takeShared(policy: BucketPolicy, subject: string): Promise<number | undefined>
  /** Returns a token that should not count after all. */
  giveBack(policy: BucketPolicy, subject: string): Promise<void>
}

interface BudgetsDeps {
  database: Database
  /** Checked first: excess in this process alone needs no database. */
  local: RateLimits
  secretBox: SecretBox
  log: Logger
  enabled: boolean
}

/** A request must not wait long for a slow database just to be counted. */
const actor = { role: 'hoplet_auth', statementTimeout: 1_000 } as const

/**
 * Creates the shared budgets. While the database cannot be used, this process's own count decides: as strict as a single
 * server would be.
 */
export type Budgets = ReturnType<typeof createBudgets>

export function createBudgets({ database, local, secretBox, log, enabled }: BudgetsDeps) {
  const markOf = (policy: BucketPolicy, subject: string) =>
    secretBox.digest(subject, `budgets ${policy.name}`).slice(0, 32)
  /** Takes a token in the database. */
  const takeThere = async (db: Transaction, policy: BucketPolicy, mark: string) => {
    const refused = await takeToken(db, policy, mark)
    if (refused !== undefined) local.countRefusal(policy)
    return refused
  }
  const warn = (error: unknown, what: string) => log.warn({ err: error }, what)

  const here: Buckets = {
    take: async (policy, subject) => local.take(policy, markOf(policy, subject)),
    takeShared: async () => undefined,
    giveBack: async (policy, subject) => local.giveBack(policy, markOf(policy, subject)),
  }

  /** Buckets in a transaction, which fails with them. */
  const within = (db: Transaction): Buckets => ({
    async take(policy, subject) {
      const mark = markOf(policy, subject)
      const refused = local.take(policy, mark)
      if (refused !== undefined) return refused
      return inBuckets(takeThere(db, policy, mark)).catch((error: unknown) => {
        local.giveBack(policy, mark)
        throw error
      })
    },
    takeShared: (policy, subject) => inBuckets(takeThere(db, policy, markOf(policy, subject))),
    async giveBack(policy, subject) {
      local.giveBack(policy, markOf(policy, subject))
      await inBuckets(returnToken(db, policy, markOf(policy, subject)))
    },
  })

  return {
    /** Takes a token in this process alone. */
    takeHere: (policy: BucketPolicy, subject: string): number | undefined =>
      local.take(policy, markOf(policy, subject)),

    /** Like {@link Buckets.take}, in a separate transaction. */
    async take(policy: BucketPolicy, subject: string): Promise<number | undefined> {
      if (!enabled) return undefined
      const mark = markOf(policy, subject)
      const refused = local.take(policy, mark)
      if (refused !== undefined) return refused
      try {
        return await database.transactionAs(actor, (db) => takeThere(db, policy, mark))
      } catch (error) {
        warn(error, 'a limit is kept by this process alone')
        return undefined
      }
    },

    async giveBack(policy: BucketPolicy, subject: string): Promise<void> {
      if (!enabled) return
      try {
        await database.transactionAs(actor, (db) => within(db).giveBack(policy, subject))
      } catch (error) {
        warn(error, 'a limit counts one too many')
      }
    },

    /**
     * Runs `work` in one transaction together with the buckets that it uses. While those cannot be used, `work` runs again
     * with this process's own count.
     */
    async transaction<T>(work: (db: Transaction, buckets: Buckets) => Promise<T>): Promise<T> {
      const locally = () => database.transactionAs({ role: 'hoplet_auth' }, (db) => work(db, here))
      if (!enabled) return locally()
      try {
        return await database.transactionAs(actor, (db) => work(db, within(db)))
      } catch (error) {
        if (!(error instanceof BucketError || isLockFailure(error))) throw error
        warn(error, 'limits are kept by this process alone')
        return locally()
      }
    },
  }
}

/** The buckets in the database could not be used, although the database answers. */
class BucketError extends Error {
  name = 'BucketError'
}

async function inBuckets<T>(step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error
    throw new BucketError('the buckets cannot be used', { cause: error })
  }
}
