import type Stripe from 'stripe'
import type { PortalInvoice, PortalView } from '#public-pages/sandbox/portal-page.tsx'
import { findSubscription, lastPaidCharge } from './actions.ts'
import { cardOf, isGood } from './cards.ts'
import { offerOf, offers } from './catalogue.ts'
import { isHeld, openDisputeOf } from './disputes.ts'
import { paymentsOf } from './invoices.ts'
import { chargeOf } from './payments.ts'
import { idOf } from '../read-truth.ts'
import { itemOf, offerOfSubscription } from './subscriptions.ts'
import { get, select, type Work } from './work.ts'

/** Everything that the portal page shows of a customer. */
export async function portalView(
  work: Work,
  session: Stripe.BillingPortal.Session,
): Promise<PortalView> {
  const customer = await get(work, 'customer', session.customer)
  const subscription = await findSubscription(work, customer.id)
  const charge = await lastPaidCharge(work, customer.id)
  const method = await cardOf(work, customer)
  const dispute = await openDisputeOf(work, customer.id)
  return {
    subscription: subscription && describe(subscription),
    change: subscription && changeOf(session, subscription),
    card: method && {
      label: `${brandNames[method.card?.brand ?? ''] ?? 'Card'} •••• ${method.card?.last4 ?? ''}`,
      works: isGood(method),
    },
    invoices: await invoicesOf(work, customer.id),
    refundable:
      charge && !(await isHeld(work, charge)) ? charge.amount - charge.amount_refunded : 0,
    disputable: charge?.disputed === false,
    disputed: dispute !== undefined,
    now: dateOf(work.now),
    returnUrl: session.return_url ?? '/',
  }
}

const brandNames: Readonly<Record<string, string>> = { visa: 'Visa', mastercard: 'Mastercard' }

const statusNames: Partial<Record<Stripe.Subscription.Status, string>> = {
  active: 'Active',
  past_due: 'Past due',
}

function describe(subscription: Stripe.Subscription): PortalView['subscription'] {
  const offer = offerOfSubscription(subscription)
  const end = dateOf(itemOf(subscription).current_period_end)
  const ending = subscription.cancel_at_period_end
  const other = offers.find(({ priceId }) => priceId !== offer.priceId) ?? offer
  return {
    plan: offer.name,
    cents: offer.cents,
    status: statusNames[subscription.status] ?? subscription.status,
    outlook:
      subscription.status === 'past_due'
        ? 'The last renewal was not paid. It is tried again 3 and 8 days later, and then the subscription ends.'
        : ending
          ? `Ends on ${end}.`
          : `Renews on ${end}.`,
    ending,
    other: { priceId: other.priceId, plan: other.name, cents: other.cents },
  }
}

/** The change that the portal was opened for, until it is made. */
function changeOf(
  { flow }: Stripe.BillingPortal.Session,
  subscription: Stripe.Subscription,
): PortalView['change'] {
  const confirm = flow?.subscription_update_confirm
  const price = confirm?.items[0]?.price
  const current = offerOfSubscription(subscription)
  if (confirm?.subscription !== subscription.id || !price || price === current.priceId) {
    return undefined
  }
  const { priceId, name, cents } = offerOf(price)
  return { priceId, plan: name, cents, now: Math.max(0, cents - current.cents) }
}

async function invoicesOf(work: Work, customer: string): Promise<PortalInvoice[]> {
  const invoices = await select(work, 'invoice', { customer, limit: 24 })
  return Promise.all(
    invoices.map(async (invoice) => {
      const payments = await paymentsOf(work, invoice.id)
      const intent = idOf(payments.data[0]?.payment.payment_intent)
      const charge = intent === null ? undefined : await chargeOf(work, intent)
      return {
        number: invoice.number ?? invoice.id,
        date: dateOf(invoice.created),
        cents: invoice.total,
        state: stateOf(invoice, charge, charge !== undefined && (await isHeld(work, charge))),
      }
    }),
  )
}

function stateOf(
  invoice: Stripe.Invoice,
  charge: Stripe.Charge | undefined,
  disputed: boolean,
): string {
  if (invoice.status !== 'paid') return 'Not paid'
  if (disputed) return 'Disputed'
  if (charge?.refunded) return 'Refunded'
  if (charge && charge.amount_refunded > 0) {
    return `$${(charge.amount_refunded / 100).toFixed(2)} refunded`
  }
  return 'Paid'
}

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

function dateOf(seconds: number): string {
  return dates.format(new Date(seconds * 1000))
}
