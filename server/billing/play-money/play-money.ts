import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import type { Jobs, PeriodicJob } from '../../primitives/jobs.ts'
import type { FailedPayment, ProviderEvent } from '../provider.ts'
import type { PlayAccount } from './account.ts'
import { advancePlayClock, inPlayMoney } from './store.ts'

export interface PlayMoneyDeps {
  database: Database
  log: Logger
  handleEvent(event: ProviderEvent): Promise<unknown>
}

/** Lets renewals fall due and hands on the events. */
export function startPlayMoney(deps: PlayMoneyDeps & { jobs: Jobs }): PeriodicJob {
  const { database, jobs } = deps
  return jobs.add('play money', { everyMs: 10_000, firstRunMs: 0 }, async () => {
    await inPlayMoney(database, (transaction) => advancePlayClock(transaction, transaction.now))
    await deliverPlayEvents(deps)
  })
}

/** Every version of an account is an event. Hands on the latest ones; failed ones wait for the next call. */
export async function deliverPlayEvents(deps: PlayMoneyDeps): Promise<void> {
  const { database, log, handleEvent } = deps
  const { rows } = await inPlayMoney(database, ({ db }) =>
    db.query<{ id: string; account: PlayAccount; version: string; changed_at: Date }>(
      `select id, account, version, changed_at from app.play_money_customers
        where delivered_version < version order by changed_at limit 100`,
    ),
  )
  for (const { id, account, version, changed_at } of rows) {
    try {
      await handleEvent({
        id: `evt_${id}_${version}`,
        type: 'account.changed',
        createdAt: changed_at,
        readCustomerId: () => Promise.resolve(id),
        failedPayment: failedPaymentOf(account),
      })
      await inPlayMoney(database, ({ db }) =>
        db.query(
          `update app.play_money_customers set delivered_version = greatest(delivered_version, $2)
            where id = $1`,
          [id, version],
        ),
      )
    } catch (error) {
      log.warn({ err: error, customer: id }, 'a play-money event was not handled yet')
    }
  }
}

function failedPaymentOf({ invoices }: PlayAccount): FailedPayment | undefined {
  const invoice = invoices.at(-1)
  if (!invoice || invoice.paidAt !== null) return undefined
  const { id: invoiceId, attempts: attempt, cents, nextAttemptAt } = invoice
  return {
    invoiceId,
    attempt,
    cents,
    currency: 'usd',
    nextAttemptAt: nextAttemptAt === null ? null : new Date(nextAttemptAt),
  }
}
