import type { Hono } from 'hono'
import type { HttpEnvironment } from '../../http/router.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { withDeadline } from '../../primitives/deadline.ts'
import { startPeriodicJob } from '../../primitives/periodic-job.ts'
import type { FailedPayment, ProviderEvent } from '../provider.ts'
import type { PlayAccount } from './account.ts'
import { createPlayMoneyPages } from './pages.ts'
import { advancePlayClock, inPlayMoney } from './store.ts'

/** The part of play money that runs by itself, beside its provider (provider.ts). */
export interface PlayMoney {
  /** The checkout and the portal, to be mounted at `/sandbox`. */
  pages: Hono<HttpEnvironment>
  close(): Promise<void>
}

interface PlayMoneyDeps {
  config: { publicUrl: string }
  database: Database
  log: Logger
  handleEvent(event: ProviderEvent): Promise<unknown>
}

const intervalMs = 10_000
/** How long a page waits for the effects of what it did. */
const settleTimeoutMs = 3_000

/** Opens the pages, lets renewals fall due and hands on the events. */
export function startPlayMoney(deps: PlayMoneyDeps): PlayMoney {
  const { config, database, log } = deps
  const settle = () =>
    withDeadline(settleTimeoutMs, () => deliverEvents(deps)).catch(() => undefined)
  const job = startPeriodicJob({
    name: 'play money',
    intervalMs,
    firstRunMs: 0,
    log,
    async work() {
      await inPlayMoney(database, (transaction) => advancePlayClock(transaction, transaction.now))
      await deliverEvents(deps)
    },
  })
  return {
    pages: createPlayMoneyPages({ config, database, settle }),
    close: () => job.close(),
  }
}

/** Every version of an account is an event: something of that customer has changed. */
interface AccountVersion {
  id: string
  account: PlayAccount
  version: string
  changed_at: Date
}

/** Hands on the latest version of each changed account. What fails stays waiting for the next call. */
async function deliverEvents({ database, log, handleEvent }: PlayMoneyDeps): Promise<void> {
  const { rows } = await inPlayMoney(database, ({ db }) =>
    db.query<AccountVersion>(
      `select id, account, version, changed_at from app.play_money_customers
        where delivered_version < version order by changed_at limit 100`,
    ),
  )
  for (const row of rows) {
    try {
      await handleEvent(eventOf(row))
      await inPlayMoney(database, ({ db }) =>
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
