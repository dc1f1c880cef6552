import { randomUUID } from 'node:crypto'
import type { Database } from '../../postgres/database.ts'
import { sha256 } from '../../primitives/sha256.ts'
import { billingErrors } from '../errors.ts'
import type {
  CheckoutSession,
  InvoiceFacts,
  PaymentProvider,
  ProviderSnapshot,
} from '../provider.ts'
import { playMoneyPrices } from '../settings.ts'
import { isWithheld, type PlayAccount, type PlayInvoice, sharedCard } from './account.ts'
import {
  cancelPlaySubscription,
  createPlayPage,
  deleteOpenPage,
  ensurePlayCustomer,
  inPlayMoney,
  type PlayPage,
  type PlayTransaction,
  readPlayAccount,
  readPlayPage,
} from './store.ts'

const checkoutHours = 24
const portalHours = 1

/** Play money: a payment provider with pages, tables and a separate clock. No real money moves. */
export function createPlayMoneyProvider(database: Database): PaymentProvider {
  const run = <T>(work: (transaction: PlayTransaction) => Promise<T>) => inPlayMoney(database, work)
  return {
    name: 'play_money',
    prices: playMoneyPrices,
    ensureCustomer: ({ userId }) =>
      run(async (transaction) => {
        // A server that has sold plans for real money gives none away.
        const { rowCount } = await transaction.db.query(
          `select from app.billing_customers where provider <> 'play_money' limit 1`,
        )
        if (rowCount === 1) throw billingErrors.notSetUp()
        return ensurePlayCustomer(transaction, userId)
      }),
    createCheckout: ({ cancelUrl, ...order }) =>
      run(async (transaction) => {
        const page = { kind: 'checkout', ...order, backUrl: cancelUrl } as const
        return sessionOf(await createPlayPage(transaction, page, checkoutHours))
      }),
    readCheckout: (id) =>
      run(async (transaction) => {
        const page = await readPlayPage(transaction, id)
        return page && sessionOf(page)
      }),
    expireCheckout: (id) => run((transaction) => deleteOpenPage(transaction, id)),
    openPortal: ({ customerId, returnUrl, change }) =>
      run(async (transaction) => {
        const page = {
          kind: 'portal',
          customerId,
          priceId: change?.priceId ?? null,
          successUrl: returnUrl,
          backUrl: returnUrl,
          idempotencyKey: randomUUID(),
        } as const
        return urlOf(await createPlayPage(transaction, page, portalHours))
      }),
    readSnapshot: (customerId) =>
      run(async (transaction) =>
        snapshotOf(customerId, await readPlayAccount(transaction, customerId)),
      ),
    cancelSubscription: (id) => run((transaction) => cancelPlaySubscription(transaction, id)),
    // None is missed: each waits in its table until it was handled.
    listEvents: () => Promise.resolve([]),
    readWebhook: undefined,
  }
}

function urlOf({ kind, id, backUrl }: PlayPage): string {
  return `${new URL(backUrl).origin}/sandbox/${kind}/${id}`
}

function sessionOf(page: PlayPage): CheckoutSession {
  return { id: page.id, url: page.status === 'open' ? urlOf(page) : null }
}

function snapshotOf(customerId: string, account: PlayAccount): ProviderSnapshot {
  const owner = account.card === sharedCard ? '' : customerId
  return {
    subscriptions: account.subscriptions.map(({ created, periodEnd, ...subscription }) => ({
      ...subscription,
      itemId: null,
      periodEnd: new Date(periodEnd),
      created: new Date(created),
    })),
    invoices: account.invoices.flatMap((invoice) => invoiceFacts(invoice) ?? []),
    cardFingerprint:
      account.card && sha256(`${account.card} ${owner}`).toString('hex').slice(0, 16),
  }
}

function invoiceFacts(invoice: PlayInvoice): InvoiceFacts | undefined {
  const { id, number, subscriptionId, plan, cents, refunded, paidAt, periodEnd } = invoice
  if (paidAt === null) return undefined
  return {
    id,
    number,
    subscriptionId,
    plan,
    currency: 'usd',
    paid: cents,
    base: cents,
    refunded,
    disputed: isWithheld(invoice) ? cents - refunded : 0,
    lost: invoice.dispute === 'lost',
    paidAt: new Date(paidAt),
    periodEnd: new Date(periodEnd),
  }
}
