import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import type { FailedPayment, ProviderEvent } from '../provider.ts'
import type { PlayAccount } from './account.ts'
import { inPlayMoney, type PlayTransaction } from './store.ts'

/** Every version of an account is an event: something of that customer has changed. */
interface AccountVersion {
  id: string
  account: PlayAccount
  version: string
  changed_at: Date
}

export async function listPlayEvents(
  { db }: PlayTransaction,
  since: Date,
): Promise<ProviderEvent[]> {
  const { rows } = await db.query<AccountVersion>(
    `select id, account, version, changed_at from app.play_money_customers
      where changed_at >= $1 and version > 0 order by changed_at desc limit 10000`,
    [since],
  )
  return rows.map(eventOf)
}

/** Hands on the latest version of each changed account. What fails stays waiting for the next call. */
export async function deliverPlayEvents(
  database: Database,
  log: Logger,
  deliver: (event: ProviderEvent) => Promise<unknown>,
): Promise<void> {
  const { rows } = await inPlayMoney(database, 'read', ({ db }) =>
    db.query<AccountVersion>(
      `select id, account, version, changed_at from app.play_money_customers
        where delivered_version < version order by changed_at limit 100`,
    ),
  )
  for (const row of rows) {
    try {
      await deliver(eventOf(row))
      await inPlayMoney(database, 'write', ({ db }) =>
        db.query(
          `update app.play_money_customers set delivered_version = greatest(delivered_version, $2)
            where id = $1`,
          [row.id, row.version],
        ),
      )
    } catch (error) {
      log.warn({ err: error, customer: row.id }, 'a play-money event was not handled yet')
    }
  }
}

function eventOf({ id, account, version, changed_at }: AccountVersion): ProviderEvent {
  return {
    id: `evt_${id}_${version}`,
    type: 'account.changed',
    createdAt: changed_at,
    isRelevant: true,
    readCustomerId: () => Promise.resolve(id),
    failedPayment: failedPaymentOf(account),
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
