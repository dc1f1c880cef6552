import type Stripe from 'stripe'
import type { SubscriptionFacts } from './plan-of.ts'
import { type PaidPlan, planOfPrice, type Prices } from './settings.ts'

/** A paid invoice of a subscription, with what became of the money. Cents. */
export interface InvoiceFacts {
  id: string
  number: string | null
  subscriptionId: string
  /** What it was for; undefined for a price that is not sold any more. */
  plan: PaidPlan | undefined
  currency: string
  paid: number
  /** What was paid without tax. */
  base: number
  refunded: number
  /** Disputed and not won. */
  disputed: number
  /** A dispute was lost. */
  lost: boolean
  paidAt: Date
  periodEnd: Date
}

/** All that counts of a customer, as the provider has it now. */
export interface Truth {
  subscriptions: SubscriptionFacts[]
  /** Oldest first. */
  invoices: InvoiceFacts[]
  /** Subscriptions that have an invoice with an open or lost dispute. */
  disputed: Set<string>
  /** Of these, those of which a dispute was lost. */
  lost: Set<string>
  /** Of the card that paid last. */
  cardFingerprint: string | null
}

/** The money is gone or held back. An inquiry ('warning_…') takes none, and a won one gave it back. */
const takingDisputes = [
  'needs_response',
  'under_review',
  'lost',
  'appeal_needs_response',
  'appeal_under_review',
]

/** More than anybody's history here. */
const most = 1_000
const page = 100

/** Asks the provider: three calls, and one for each disputed charge. @throws {Stripe.errors.StripeError} */
export async function readTruth(stripe: Stripe, prices: Prices, customer: string): Promise<Truth> {
  const [subscriptions, invoices, charges] = await Promise.all([
    stripe.subscriptions
      .list({ customer, status: 'all', limit: page })
      .autoPagingToArray({ limit: most }),
    stripe.invoices
      .list({ customer, status: 'paid', expand: ['data.payments'], limit: page })
      .autoPagingToArray({ limit: most }),
    stripe.charges.list({ customer, limit: page }).autoPagingToArray({ limit: most }),
  ])
  const disputes = await readDisputes(stripe, charges)
  const facts = invoices
    .flatMap((invoice) => factsOf(invoice, charges, disputes, prices) ?? [])
    .toSorted((a, b) => a.paidAt.getTime() - b.paidAt.getTime())
  const newest = charges
    .filter(({ paid }) => paid)
    .toSorted((a, b) => b.created - a.created)
    .find((charge) => charge.payment_method_details?.card?.fingerprint)
  return {
    subscriptions: subscriptions.map((each) => subscriptionFacts(each, prices)),
    invoices: facts,
    disputed: new Set(
      facts.filter(({ disputed }) => disputed > 0).map(({ subscriptionId }) => subscriptionId),
    ),
    lost: new Set(facts.filter(({ lost }) => lost).map(({ subscriptionId }) => subscriptionId)),
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
      .list({ payment_intent: intent, limit: page })
      .autoPagingToArray({ limit: most })
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

function factsOf(
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

/** Tax is in what was paid in the proportion that it has in the total. */
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

/** A reference is an id, or the object when it was expanded. */
export function idOf(reference: string | { id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}

const dateOf = (seconds: number) => new Date(seconds * 1000)
