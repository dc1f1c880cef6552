import type Stripe from 'stripe'
import { idOf } from './ids.ts'
import { attempt, bill } from './invoices.ts'
import { cancelNow, itemOf, monthAfter, offerOfSubscription } from './subscriptions.ts'
import { emit, find, get, save, select, type Work } from './work.ts'

/** Advances the clock; everything that falls due on the way happens at its own time. */
export async function advance(work: Work, target: number): Promise<void> {
  const isAhead = target > work.now
  for (;;) {
    const next = await nextDue(work, target)
    if (!next) break
    work.now = Math.max(work.now, next.at)
    await next.happen()
  }
  work.now = Math.max(work.now, target)
  if (!isAhead) return
  await work.db.query(
    `insert into stripe_stand_in.clock (ahead) values (to_timestamp($1) - now())
      on conflict (only_row) do update set ahead = greatest(clock.ahead, excluded.ahead)`,
    [work.now],
  )
}

interface Due {
  at: number
  happen: () => Promise<unknown>
}

/** The statuses that are billed; unpaid and paused subscriptions wait. */
const running: readonly Stripe.Subscription.Status[] = ['active', 'trialing', 'past_due']

async function nextDue(work: Work, target: number): Promise<Due | undefined> {
  const all = await select(work, 'subscription', { unlike: { status: 'canceled' } })
  const live = all.filter(({ status }) => running.includes(status))
  const due: Due[] = []
  for (const subscription of live) {
    const retry = await retryOf(work, subscription)
    const end = itemOf(subscription).current_period_end
    if (retry) due.push(retry)
    else if (subscription.cancel_at_period_end) {
      due.push({ at: end, happen: () => cancelNow(work, subscription) })
    } else due.push({ at: end, happen: () => renew(work, subscription) })
  }
  const [first] = due.filter((one) => one.at <= target).sort((a, b) => a.at - b.at)
  return first
}

/** The next attempt to charge a failed renewal. */
async function retryOf(work: Work, subscription: Stripe.Subscription): Promise<Due | undefined> {
  if (subscription.status !== 'past_due') return undefined
  const invoice = await openInvoiceOf(work, subscription)
  if (!invoice?.next_payment_attempt) return undefined
  return { at: invoice.next_payment_attempt, happen: () => payOpen(work, subscription, invoice) }
}

export async function openInvoiceOf(
  work: Work,
  subscription: Stripe.Subscription,
): Promise<Stripe.Invoice | undefined> {
  const { latest_invoice: id } = subscription
  const invoice = typeof id === 'string' ? await find(work, 'invoice', id) : undefined
  return invoice?.status === 'open' ? invoice : undefined
}

/** Retries: when paid, the subscription is active again; after the third failure it ends. */
export async function payOpen(
  work: Work,
  subscription: Stripe.Subscription,
  invoice: Stripe.Invoice,
): Promise<boolean> {
  const customer = await get(work, 'customer', idOf(subscription.customer) ?? '')
  const paid = await attempt(work, customer, invoice)
  if (paid) {
    subscription.status = 'active'
    await emit(work, 'customer.subscription.updated', await save(work, subscription), {
      status: 'past_due',
    })
  } else if (invoice.next_payment_attempt === null) {
    await cancelNow(work, subscription, 'payment_failed')
  }
  return paid
}

async function renew(work: Work, subscription: Stripe.Subscription): Promise<void> {
  const customer = await get(work, 'customer', idOf(subscription.customer) ?? '')
  const offer = offerOfSubscription(subscription)
  const item = itemOf(subscription)
  const previous = { status: subscription.status, items: structuredClone(subscription.items) }
  item.current_period_start = item.current_period_end
  item.current_period_end = monthAfter(item.current_period_start, subscription.billing_cycle_anchor)
  const { paid } = await bill(work, {
    customer,
    subscription,
    offer,
    cents: offer.cents,
    reason: 'subscription_cycle',
    period: { start: item.current_period_start, end: item.current_period_end },
  })
  subscription.status = paid ? 'active' : 'past_due'
  await emit(work, 'customer.subscription.updated', await save(work, subscription), previous)
}
