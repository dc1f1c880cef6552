import type Stripe from 'stripe'
import type { InvoiceFacts, ProviderSnapshot, SubscriptionFacts } from '../provider.ts'
import { planOfPrice, type Prices } from '../settings.ts'
import { idOf } from './events.ts'

/** The money is gone or held back. An inquiry ('warning_…') takes none, and a won dispute returned it. */
const takingDisputes = [
  'needs_response',
  'under_review',
  'lost',
  'appeal_needs_response',
  'appeal_under_review',
]

/** More than any customer's history here. */
const maxItems = 1_000
const pageSize = 100

/** Three calls to Stripe, and one for each disputed charge. @throws {Stripe.errors.StripeError} */
export async function readStripeSnapshot(
  stripe: Stripe,
  prices: Prices,
  customer: string,
): Promise<ProviderSnapshot> {
  const [subscriptions, invoices, charges] = await Promise.all([
    stripe.subscriptions
      .list({ customer, status: 'all', limit: pageSize })
      .autoPagingToArray({ limit: maxItems }),
    stripe.invoices
      .list({ customer, status: 'paid', expand: ['data.payments'], limit: pageSize })
      .autoPagingToArray({ limit: maxItems }),
    stripe.charges.list({ customer, limit: pageSize }).autoPagingToArray({ limit: maxItems }),
  ])
  const disputes = await readDisputes(stripe, charges)
  const newest = charges
    .filter(({ paid }) => paid)
    .toSorted((a, b) => b.created - a.created)
    .find((charge) => charge.payment_method_details?.card?.fingerprint)
  return {
    subscriptions: subscriptions.map((each) => subscriptionFacts(each, prices)),
    invoices: invoices
      .flatMap((invoice) => invoiceFacts(invoice, charges, disputes, prices) ?? [])
      .toSorted((a, b) => a.paidAt.getTime() - b.paidAt.getTime()),
    cardFingerprint: newest?.payment_method_details?.card?.fingerprint ?? null,
  }
}

interface Disputed {
  cents: number
  lost: boolean
}

/** By charge. */
async function readDisputes(
  stripe: Stripe,
  charges: readonly Stripe.Charge[],
): Promise<Map<string, Disputed>> {
  const found = new Map<string, Disputed>()
  for (const charge of charges) {
    const intent = idOf(charge.payment_intent)
    if (!charge.disputed || intent === null) continue
    const disputes = await stripe.disputes
      .list({ payment_intent: intent, limit: pageSize })
      .autoPagingToArray({ limit: maxItems })
    const taken = disputes.filter(
      (dispute) => idOf(dispute.charge) === charge.id && takingDisputes.includes(dispute.status),
    )
    found.set(charge.id, {
      cents: taken.reduce((sum, { amount }) => sum + amount, 0),
      lost: taken.some(({ status }) => status === 'lost'),
    })
  }
  return found
}

function invoiceFacts(
  invoice: Stripe.Invoice,
  charges: readonly Stripe.Charge[],
  disputes: ReadonlyMap<string, Disputed>,
  prices: Prices,
): InvoiceFacts | undefined {
  const subscriptionId = idOf(invoice.parent?.subscription_details?.subscription)
  if (subscriptionId === null) return undefined
  const paying = (invoice.payments?.data ?? []).map(({ payment }) => payment)
  const own = charges.filter((charge) =>
    paying.some(
      (payment) =>
        idOf(payment.charge) === charge.id ||
        (payment.payment_intent !== undefined &&
          idOf(payment.payment_intent) === idOf(charge.payment_intent)),
    ),
  )
  const paid = invoice.amount_paid
  const sum = (cents: (charge: Stripe.Charge) => number) =>
    Math.min(
      paid,
      own.reduce((total, charge) => total + cents(charge), 0),
    )
  const lines = invoice.lines.data
  const sold = lines.map((line) =>
    planOfPrice(prices, idOf(line.pricing?.price_details?.price) ?? null),
  )
  const ends = [invoice.period_end, ...lines.map(({ period }) => period.end)]
  return {
    id: invoice.id,
    number: invoice.number,
    subscriptionId,
    plan: sold.findLast((plan) => plan !== undefined),
    currency: invoice.currency,
    paid,
    base: untaxed(invoice),
    refunded: sum((charge) => charge.amount_refunded),
    disputed: sum((charge) => disputes.get(charge.id)?.cents ?? 0),
    lost: own.some((charge) => disputes.get(charge.id)?.lost),
    paidAt: dateOf(invoice.status_transitions.paid_at ?? invoice.created),
    periodEnd: dateOf(Math.max(...ends)),
  }
}

/** The share of tax in the payment is its share in the total. */
function untaxed({ amount_paid, total, total_excluding_tax }: Stripe.Invoice): number {
  if (total <= 0 || total_excluding_tax === null) return amount_paid
  const base = Math.round((amount_paid * total_excluding_tax) / total)
  return Math.min(amount_paid, Math.max(0, base))
}

function subscriptionFacts(subscription: Stripe.Subscription, prices: Prices): SubscriptionFacts {
  const items = subscription.items.data
  const item = items.find(({ price }) => planOfPrice(prices, price.id)) ?? items[0]
  return {
    id: subscription.id,
    status: subscription.status,
    itemId: item?.id ?? null,
    priceId: item?.price.id ?? null,
    periodEnd: item ? dateOf(item.current_period_end) : null,
    cancelsAtPeriodEnd: subscription.cancel_at_period_end || subscription.cancel_at !== null,
    created: dateOf(subscription.created),
  }
}

const dateOf = (seconds: number) => new Date(seconds * 1000)
