import type { Database } from '../../postgres/database.ts'
import { sha256 } from '../../primitives/sha256.ts'
import { billingErrors } from '../errors.ts'
import {
  type CheckoutSession,
  type InvoiceFacts,
  PaymentProviderError,
  type PaymentProvider,
  type ProviderSnapshot,
} from '../provider.ts'
import { planOfPrice, playMoneyPrices } from '../settings.ts'
import { isWithheld, type PlayAccount, playCards, type PlayInvoice } from './account.ts'
import { listPlayEvents } from './events.ts'
import {
  cancelPlaySubscription,
  closePlayPage,
  createPlayPage,
  ensurePlayCustomer,
  inPlayMoney,
  type PlayPage,
  type PlayTransaction,
  readPlayAccount,
  readPlayPage,
} from './store.ts'

const checkoutHours = 24
const portalHours = 1

/** The seam's methods over play money's own tables. */
export function createPlayMoneyProvider(database: Database): PaymentProvider {
  const read = <T>(work: (transaction: PlayTransaction) => Promise<T>) =>
    inPlayMoney(database, 'read', work)
  const write = <T>(work: (transaction: PlayTransaction) => Promise<T>) =>
    inPlayMoney(database, 'write', work)
  return {
    name: 'play_money',
    prices: playMoneyPrices,
    ensureCustomer: ({ userId, releasedCustomers }) =>
      write(async (transaction) => {
        if (await hasRealCustomers(transaction)) throw billingErrors.notSetUp()
        return ensurePlayCustomer(transaction, userId, releasedCustomers)
      }),
    createCheckout: ({ customerId, priceId, successUrl, cancelUrl, idempotencyKey }) =>
      write(async (transaction) => {
        await requireAccount(transaction, customerId)
        const order = { customer_id: customerId, price_id: priceId, success_url: successUrl }
        const page = { kind: 'checkout', ...order, back_url: cancelUrl } as const
        const lifetime = { hours: checkoutHours, idempotencyKey }
        return sessionOf(await createPlayPage(transaction, page, lifetime))
      }),
    readCheckout: (id) =>
      read(async (transaction) => {
        const page = await readPlayPage(transaction, 'checkout', id)
        return page && sessionOf(page)
      }),
    expireCheckout: (id) =>
      write(async (transaction) => {
        const page = await readPlayPage(transaction, 'checkout', id)
        if (page?.status !== 'open') return false
        await closePlayPage(transaction, id, 'expired')
        return true
      }),
    openPortal: ({ customerId, returnUrl, change }) =>
      write(async (transaction) => {
        await requireAccount(transaction, customerId)
        const page = {
          kind: 'portal',
          customer_id: customerId,
          price_id: change?.priceId ?? null,
          success_url: returnUrl,
          back_url: returnUrl,
        } as const
        const lifetime = { hours: portalHours, idempotencyKey: null }
        return urlOf(await createPlayPage(transaction, page, lifetime))
      }),
    readSnapshot: (customerId) =>
      read(async (transaction) =>
        snapshotOf(customerId, await requireAccount(transaction, customerId)),
      ),
    cancelSubscription: (id) => write((transaction) => cancelPlaySubscription(transaction, id)),
    listEvents: (since) => read((transaction) => listPlayEvents(transaction, since)),
    readWebhook: undefined,
  }
}

/** A server that has sold plans for real money gives none away. */
async function hasRealCustomers({ db }: PlayTransaction): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from app.billing_customers where provider <> 'play_money' limit 1`,
  )
  return rowCount === 1
}

async function requireAccount(
  transaction: PlayTransaction,
  customerId: string,
): Promise<PlayAccount> {
  const account = await readPlayAccount(transaction, customerId)
  if (!account) throw new PaymentProviderError('customer_missing', { customer: customerId })
  return account
}

function urlOf({ kind, id, back_url }: PlayPage): string {
  return `${new URL(back_url).origin}/sandbox/${kind}/${id}`
}

function sessionOf(page: PlayPage): CheckoutSession {
  const isOpen = page.status === 'open'
  return { id: page.id, isOpen, url: isOpen ? urlOf(page) : null, expiresAt: page.expires_at }
}

function snapshotOf(customerId: string, account: PlayAccount): ProviderSnapshot {
  const paid = account.invoices.flatMap((invoice) => invoiceFacts(invoice) ?? [])
  const { card } = account
  const owner = card && playCards[card.number]?.isShared ? '' : customerId
  return {
    subscriptions: account.subscriptions.map((subscription) => ({
      id: subscription.id,
      status: subscription.status,
      itemId: null,
      priceId: subscription.priceId,
      periodEnd: new Date(subscription.periodEnd),
      cancelsAtPeriodEnd: subscription.cancelsAtPeriodEnd,
      created: new Date(subscription.startedAt),
    })),
    invoices: paid,
    disputed: new Set(paid.filter(({ disputed }) => disputed > 0).map((one) => one.subscriptionId)),
    lost: new Set(paid.filter(({ lost }) => lost).map((one) => one.subscriptionId)),
    cardFingerprint: card && sha256(`${card.number} ${owner}`).toString('hex').slice(0, 16),
  }
}

function invoiceFacts(invoice: PlayInvoice): InvoiceFacts | undefined {
  const { id, number, subscriptionId, cents, refundedCents, paidAt, periodEnd } = invoice
  if (paidAt === null) return undefined
  return {
    id,
    number,
    subscriptionId,
    plan: planOfPrice(playMoneyPrices, invoice.priceId),
    currency: 'usd',
    paid: cents,
    base: cents,
    refunded: refundedCents,
    disputed: isWithheld(invoice) ? cents - refundedCents : 0,
    lost: invoice.dispute === 'lost',
    paidAt: new Date(paidAt),
    periodEnd: new Date(periodEnd),
  }
}
