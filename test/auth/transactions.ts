import type { Context } from '#server/context.ts'

/** How many transactions of the auth area `work` causes. */
export async function transactionsOf(
  { database, securityEvents }: Pick<Context, 'database' | 'securityEvents'>,
  work: () => Promise<unknown>,
): Promise<number> {
  await securityEvents.flush()
  const { transactionAs } = database
  let count = 0
  database.transactionAs = (actor, run) =>
    transactionAs(actor, (db) => {
      // Background jobs have other roles.
      if (actor.role === 'hoplet_auth') count++
      return run({
        query(text, values) {
          // Security events are written later, in separate batches.
          if (text.includes('auth.security_events')) count--
          return db.query(text, values)
        },
      })
    })
  try {
    await work()
  } finally {
    database.transactionAs = transactionAs
  }
  return count
}
