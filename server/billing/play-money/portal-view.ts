import { dollars } from '#domain/money.ts'
import type { PortalInvoice, PortalView } from '#public-pages/sandbox/portal-view.ts'
import {
  isWithheld,
  lastPaymentOf,
  liveSubscriptionOf,
  offerOf,
  type PlayAccount,
  playCards,
  type PlayInvoice,
  type PlaySubscription,
} from './account.ts'
import { playMoneyPrices } from '../settings.ts'
import type { PlayPage } from './store.ts'

const maxInvoicesShown = 24

/** Everything that the portal page shows. */
export function portalView(account: PlayAccount, page: PlayPage, now: number): PortalView {
  const subscription = liveSubscriptionOf(account)
  const payment = lastPaymentOf(account)
  const { card } = account
  return {
    subscription: subscription && describe(subscription),
    change: subscription && changeOf(page, subscription),
    card: card
      ? {
          label: `${playCards[card.number]?.brand ?? 'Card'} •••• ${card.number.slice(-4)}`,
          works: card.works,
        }
      : undefined,
    invoices: account.invoices.slice(-maxInvoicesShown).toReversed().map(describeInvoice),
    refundable: payment && !isWithheld(payment) ? payment.cents - payment.refundedCents : 0,
    disputable: payment?.dispute === null,
    disputed: account.invoices.some(({ dispute }) => dispute === 'open'),
    now: dateText(now),
    returnUrl: page.back_url,
  }
}

function describe(subscription: PlaySubscription): PortalView['subscription'] {
  const { priceId, periodEnd, cancelsAtPeriodEnd: ending, status } = subscription
  const offer = offerOf(priceId)
  const other = offerOf(
    priceId === playMoneyPrices.pro ? playMoneyPrices.business : playMoneyPrices.pro,
  )
  const isPastDue = status === 'past_due'
  return {
    plan: offer.name,
    cents: offer.cents,
    status: isPastDue ? 'Past due' : 'Active',
    outlook: isPastDue
      ? 'The last renewal was not paid. It is retried 3 and 8 days later, and then the subscription ends.'
      : `${ending ? 'Ends' : 'Renews'} on ${dateText(periodEnd)}.`,
    ending,
    other: { priceId: other.priceId, plan: other.name, cents: other.cents },
  }
}

/** The change that the portal was opened for, until it is made. */
function changeOf(page: PlayPage, subscription: PlaySubscription): PortalView['change'] {
  if (page.price_id === null || page.price_id === subscription.priceId) return undefined
  const { priceId, name, cents } = offerOf(page.price_id)
  const now = Math.max(0, cents - offerOf(subscription.priceId).cents)
  return { priceId, plan: name, cents, now }
}

function describeInvoice(invoice: PlayInvoice): PortalInvoice {
  const { number, createdAt, cents } = invoice
  return { number, date: dateText(createdAt), cents, state: stateOf(invoice) }
}

function stateOf(invoice: PlayInvoice): string {
  const { paidAt, cents, refundedCents } = invoice
  if (paidAt === null) return 'Not paid'
  if (isWithheld(invoice)) return 'Disputed'
  if (refundedCents === cents) return 'Refunded'
  return refundedCents > 0 ? `${dollars(refundedCents)} refunded` : 'Paid'
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

function dateText(time: number): string {
  return dates.format(new Date(time))
}
