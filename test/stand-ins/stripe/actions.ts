import type Stripe from 'stripe'
import { advance, openInvoiceOf, payOpen } from './advance.ts'
import { cardOf, failingCard, goodCard, isGood, putCardOnFile } from './cards.ts'
import { type Offer, offerOf } from './catalog.ts'
import { payCheckout, type PayResult } from './checkout.ts'
import { closeDispute, openDispute, openDisputeOf } from './disputes.ts'
import { errors } from './errors.ts'
import { declinedMessage } from './payments.ts'
import { refundCharge } from './refunds.ts'
import { cancelAtPeriodEnd, itemOf, offerOfSubscription, switchPrice } from './subscriptions.ts'
import { get, runWork, select, type StandInDatabase, type Work } from './work.ts'

/** How far to advance the clock. */
export type Step = 'day' | 'month' | 'period'

/**
 * Actions of customers on Stripe's pages, and events that happen to them. Each throws a StandInError when it is not possible.
 */
export interface Actions {
  pay(sessionId: string, form: { cardNumber?: string; email?: string }): Promise<PayResult>
  cancelAtPeriodEnd(customerId: string, wanted: boolean): Promise<void>
  switchPlan(customerId: string, priceId: string): Promise<void>
  /** Gives the last payment back, or a part of it. */
  refund(customerId: string, cents?: number): Promise<void>
  /** From now on the customer's card declines, or pays again. An open invoice is paid at once. */
  setCard(customerId: string, works: boolean): Promise<void>
  openDispute(customerId: string): Promise<void>
  closeDispute(customerId: string, won: boolean): Promise<void>
  /** Advances the clock; `period` is to the end of this customer's period. */
  advance(step: Step, customerId?: string): Promise<void>
  /** In seconds; with 0 everything happens that is due now. */
  advanceBy(seconds: number): Promise<void>
}

export function createActions(
  database: StandInDatabase,
  onEvents: (events: Stripe.Event[]) => void,
): Actions {
  const act = async <T>(work: (work: Work) => Promise<T>): Promise<T> => {
    const { result, events } = await runWork(database, 'write', work)
    onEvents(events)
    return result
  }
  return {
    pay: (sessionId, { cardNumber = goodCard, email = '' }) =>
      act((work) => payCheckout(work, sessionId, { cardNumber, email })),
    cancelAtPeriodEnd: (customer, wanted) =>
      act(async (work) => {
        await cancelAtPeriodEnd(work, await liveSubscription(work, customer), wanted)
      }),
    switchPlan: (customer, priceId) => act((work) => switchPlan(work, customer, offerOf(priceId))),
    refund: (customer, cents) =>
      act(async (work) => {
        await refundCharge(work, await lastCharge(work, customer), cents)
      }),
    setCard: (customer, works) => act((work) => setCard(work, customer, works)),
    openDispute: (customer) =>
      act(async (work) => {
        await openDispute(work, await lastCharge(work, customer))
      }),
    closeDispute: (customer, won) =>
      act(async (work) => {
        const dispute = await openDisputeOf(work, customer)
        if (!dispute) throw errors.refused('There is no open dispute.')
        await closeDispute(work, dispute, won)
      }),
    advance: (step, customer) =>
      act(async (work) => advance(work, await targetOf(work, step, customer))),
    advanceBy: (seconds) => act((work) => advance(work, work.now + seconds)),
  }
}

/** The subscription that is not over. */
async function findSubscription(
  work: Work,
  customer: string,
): Promise<Stripe.Subscription | undefined> {
  const [subscription] = await select(work, 'subscription', {
    customer,
    unlike: { status: 'canceled' },
    limit: 1,
  })
  return subscription
}

async function liveSubscription(work: Work, customer: string): Promise<Stripe.Subscription> {
  const subscription = await findSubscription(work, customer)
  if (!subscription) throw errors.refused('There is no subscription.')
  return subscription
}

/** The payment that refunds and disputes are about. */
async function lastCharge(work: Work, customer: string): Promise<Stripe.Charge> {
  const [charge] = await select(work, 'charge', { customer, like: { paid: true }, limit: 1 })
  if (!charge) throw errors.refused('There is no payment yet.')
  return charge
}

/** As in the portal: if the difference cannot be paid, the plan stays. */
async function switchPlan(work: Work, customerId: string, offer: Offer): Promise<void> {
  const subscription = await liveSubscription(work, customerId)
  const card = await cardOf(work, await get(work, 'customer', customerId))
  const isDearer = offer.cents > offerOfSubscription(subscription).cents
  if (isDearer && !(card && isGood(card)))
    throw errors.refused(`${declinedMessage} The plan stays as it is.`, 'card_declined')
  await switchPrice(work, subscription, offer)
}

async function setCard(work: Work, customerId: string, works: boolean): Promise<void> {
  const customer = await get(work, 'customer', customerId)
  await putCardOnFile(work, customer, works ? goodCard : failingCard)
  const subscription = works ? await findSubscription(work, customerId) : undefined
  const invoice = subscription && (await openInvoiceOf(work, subscription))
  if (subscription && invoice) await payOpen(work, subscription, invoice)
}

async function targetOf(work: Work, step: Step, customer: string | undefined): Promise<number> {
  if (step === 'day') return work.now + 86_400
  if (step === 'period' && customer !== undefined) {
    return itemOf(await liveSubscription(work, customer)).current_period_end + 1
  }
  const date = new Date(work.now * 1000)
  date.setUTCMonth(date.getUTCMonth() + 1)
  return Math.floor(date.getTime() / 1000)
}
