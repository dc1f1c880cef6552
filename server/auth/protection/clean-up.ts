import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'

export interface CleanUp {
  run(): Promise<void>
  close(): Promise<void>
}

/** Not in the start's way. */
const soon = 30_000
const every = 10 * 60_000

/**
 * What nobody needs any more, each a statement of its own so that no lock is held for long. What was used up stays a
 * day longer, so that a second use is still known for one.
 */
const statements = [
  `delete from auth.budgets where at < now() - interval '1 day'`,
  // One row for each guess of strangers at an account under attack: these could be many.
  `delete from auth.budgets where key like 'repeat %' and at < now() - interval '5 minutes'`,
  `delete from auth.one_time_tokens where expires_at < now() - interval '1 day'`,
  `delete from auth.flow_states where expires_at < now() - interval '1 day'`,
  `delete from auth.oauth_authorizations where expires_at < now() - interval '1 day'`,
  // Wrong codes count for an hour (factors/wrong-codes.ts).
  `delete from auth.challenges where expires_at < now() - interval '1 day'`,
  `delete from auth.factors where status = 'unverified' and created_at < now() - interval '1 day'`,
  // Over for everybody already (auth.session_standing).
  `delete from auth.sessions where refreshed_at < now() - interval '90 days'`,
  `select auth.forget_old_events()`,
]

/** Clears away, now and then, what has expired. Several servers on one database may do it at once. */
export function createCleanUp({ database, log }: { database: Database; log: Logger }): CleanUp {
  let running: Promise<void> | undefined
  const sweep = async () => {
    for (const statement of statements) {
      await database.transactionAs({ role: 'hoplet_auth', statementTimeout: 60_000 }, (db) =>
        db.query(statement),
      )
    }
  }
  const run = () => {
    running ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, 'what has expired could not be removed'))
      .finally(() => (running = undefined))
    return running
  }
  const timers = [setTimeout(() => void run(), soon), setInterval(() => void run(), every)]
  for (const timer of timers) timer.unref()
  return {
    run,
    async close() {
      for (const timer of timers) clearTimeout(timer)
      await running
    },
  }
}
