import { dollars } from '#domain/money.ts'
import type { PortalInvoice, PortalView } from '#public-pages/sandbox/portal-view.ts'
import {
  isWithheld,
  isWorkingCard,
  lastPaymentOf,
  liveSubscriptionOf,
  offerOf,
  type PlayInvoice,
  type PlaySubscription,
} from './account.ts'
import { playMoneyPrices } from '../settings.ts'
import type { PlayPage } from './store.ts'

const maxInvoicesShown = 24

/** Everything that the portal page shows. */
export function portalView({ account, back_url, price_id }: PlayPage, now: number): PortalView {
  const subscription = liveSubscriptionOf(account)
  const payment = lastPaymentOf(account)
  const { card } = account
  return {
    subscription: subscription && describe(subscription),
    change: subscription && changeOf(price_id, subscription),
    card: card === null ? undefined : { label: labelOf(card), works: isWorkingCard(card) },
    invoices: account.invoices.slice(-maxInvoicesShown).toReversed().map(describeInvoice),
    refundable: payment && !isWithheld(payment) ? payment.cents - payment.refunded : 0,
    disputable: payment?.dispute === null,
    disputed: account.invoices.some(({ dispute }) => dispute === 'open'),
    now: dateText(now),
    returnUrl: back_url,
  }
}

function labelOf(card: string): string {
  return `${card.startsWith('4') ? 'Visa' : 'Mastercard'} •••• ${card.slice(-4)}`
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
function changeOf(wanted: string | null, subscription: PlaySubscription): PortalView['change'] {
  if (wanted === null || wanted === subscription.priceId) return undefined
  const { priceId, name, cents } = offerOf(wanted)
  const now = Math.max(0, cents - offerOf(subscription.priceId).cents)
  return { priceId, plan: name, cents, now }
}

function describeInvoice(invoice: PlayInvoice): PortalInvoice {
  const { number, createdAt, cents } = invoice
  return { number, date: dateText(createdAt), cents, state: stateOf(invoice) }
}

function stateOf(invoice: PlayInvoice): string {
  const { paidAt, cents, refunded } = invoice
  if (paidAt === null) return 'Not paid'
  if (isWithheld(invoice)) return 'Disputed'
  if (refunded === cents) return 'Refunded'
  return refunded > 0 ? `${dollars(refunded)} refunded` : 'Paid'
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

function dateText(time: number): string {
  return dates.format(new Date(time))
}
