import type { Policy, RateLimits } from '../../http/rate-limit.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import type { SecretBox } from '../secret-box.ts'

/** Token buckets that all processes share and that outlive them (auth.budgets). */
export interface Budgets {
  /**
   * Takes one token of `subject` under `policy`; `subject` may be private, for only a keyed digest of it is kept.
   *
   * @returns undefined when allowed, else the seconds to wait (at least 1)
   */
  take(policy: Policy, subject: string): Promise<number | undefined>
  /** Puts a token back that was taken for something that is not to be counted after all. */
  giveBack(policy: Policy, subject: string): Promise<void>
}

interface Surroundings {
  database: Database
  /** Asked first: what this process alone has seen too often needs no database. */
  local: RateLimits
  secretBox: SecretBox
  log: Logger
  enabled: boolean
}

/** A sign-in must not wait for a slow database just to be counted. */
const patience = 1_000

/**
 * When the database cannot say, this process's own count decides, which has the same bounds: never looser than one
 * process alone would be.
 */
export function createBudgets({ database, local, secretBox, log, enabled }: Surroundings): Budgets {
  const markOf = (policy: Policy, subject: string) =>
    secretBox.digest(subject, `budgets ${policy.name}`).slice(0, 32)
  return {
    async take(policy, subject) {
      if (!enabled) return undefined
      const mark = markOf(policy, subject)
      const refused = local.take(policy, mark)
      if (refused !== undefined) return refused
      try {
        return await takeShared(database, policy, `${policy.name} ${mark}`)
      } catch (error) {
        log.warn({ err: error, policy: policy.name }, 'a limit is kept by this process alone')
        return undefined
      }
    },

    async giveBack(policy, subject) {
      if (!enabled) return
      const mark = markOf(policy, subject)
      local.giveBack(policy, mark)
      try {
        await giveBackShared(database, policy, `${policy.name} ${mark}`)
      } catch (error) {
        log.warn({ err: error, policy: policy.name }, 'a limit counts one too many')
      }
    },
  }
}

const caller = { role: 'hoplet_auth', statementTimeout: patience } as const

async function giveBackShared(
  database: Database,
  { burst, window }: Policy,
  key: string,
): Promise<void> {
  await database.transactionAs(caller, (db) =>
    db.query(
      `update auth.budgets b set tokens = least($2::float8, ${refilled} + 1), at = clock_timestamp() where key = $1`,
      [key, burst, window],
    ),
  )
}

/** One statement takes the token or finds none; the row's lock puts parallel ones in a line. */
async function takeShared(
  database: Database,
  { burst, window }: Policy,
  key: string,
): Promise<number | undefined> {
  return database.transactionAs(caller, async (db) => {
    const { rowCount } = await db.query(
      `insert into auth.budgets as b (key, tokens, at) values ($1, $2::float8 - 1, clock_timestamp())
        on conflict (key) do update set tokens = ${refilled} - 1, at = clock_timestamp() where ${refilled} >= 1`,
      [key, burst, window],
    )
    if (rowCount !== 0) return undefined
    const { rows } = await db.query<{ wait: number }>(
      `select ceil((1 - ${refilled}) * $3 / $2)::int as wait from auth.budgets b where b.key = $1`,
      [key, burst, window],
    )
    return Math.max(1, rows[0]?.wait ?? 1)
  })
}

/** What the bucket holds by now. Time never runs backwards, whatever the clocks of two transactions say. */
const refilled = `least($2::float8, b.tokens + greatest(0, extract(epoch from clock_timestamp() - b.at)::float8) * $2::float8 / $3::float8)`
