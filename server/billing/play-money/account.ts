import { randomUUID } from 'node:crypto'
import { planOffers } from '#domain/plans.ts'
import { HttpError } from '../../http/errors.ts'
import { type PaidPlan, planOfPrice, playMoneyPrices } from '../settings.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/** One customer of play money, as it is stored. Times are milliseconds of the play clock, amounts are cents. */
export interface PlayAccount {
  /** The number of one of the test cards. */
  card: string | null
  subscriptions: PlaySubscription[]
  /** Oldest first. */
  invoices: PlayInvoice[]
}

export interface PlaySubscription {
  id: string
  priceId: string
  status: 'active' | 'past_due' | 'canceled'
  created: number
  periodEnd: number
  cancelsAtPeriodEnd: boolean
}

export interface PlayInvoice {
  id: string
  number: string
  subscriptionId: string
  plan: PaidPlan
  cents: number
  createdAt: number
  periodEnd: number
  /** Null while it is unpaid. */
  paidAt: number | null
  attempts: number
  nextAttemptAt: number | null
  refunded: number
  /** A payment can be disputed once. */
  dispute: 'open' | 'won' | 'lost' | null
}

/** The requested change is not possible; the message is for the person. */
export class PlayMoneyRefusal extends HttpError {
  name = 'PlayMoneyRefusal'
  constructor(message: string, status = 400) {
    super(status, message)
  }
}

const dayMs = 86_400_000
/** After the first and the second failed attempt; after the third the subscription ends. */
const retryDelaysMs = [3 * dayMs, 5 * dayMs]

/** The plan of a price. */
export function offerOf(priceId: string) {
  const plan = orThrow(
    planOfPrice(playMoneyPrices, priceId),
    () => new PlayMoneyRefusal('This price does not exist.'),
  )
  const { name, price } = planOffers[plan]
  return { priceId, plan, name: `Hoplet ${name}`, cents: price * 100 }
}

export function liveSubscriptionOf(account: PlayAccount): PlaySubscription | undefined {
  return account.subscriptions.findLast(({ status }) => status !== 'canceled')
}

/** The bank holds the money: the dispute is open or lost. */
export function isWithheld({ dispute }: PlayInvoice): boolean {
  return dispute === 'open' || dispute === 'lost'
}

/** Starts a subscription with its first payment. @throws {PlayMoneyRefusal} when the card declines */
export function subscribe(account: PlayAccount, now: number, priceId: string, card: string): void {
  if (!isWorkingCard(card)) throw new PlayMoneyRefusal('Your card was declined.', 402)
  account.card = card
  const subscription: PlaySubscription = {
    id: randomUUID(),
    priceId,
    status: 'active',
    created: now,
    periodEnd: monthAfter(now),
    cancelsAtPeriodEnd: false,
  }
  account.subscriptions.push(subscription)
  bill(account, subscription, offerOf(priceId).cents, now)
}

/** A more expensive plan costs the difference now; for a cheaper one nothing is given back. */
export function changePlan(
  account: PlayAccount,
  subscription: PlaySubscription,
  now: number,
  priceId: string,
): void {
  const difference = offerOf(priceId).cents - offerOf(subscription.priceId).cents
  if (difference > 0 && !isWorkingCard(account.card))
    throw new PlayMoneyRefusal('Your card was declined. The plan stays as it is.')
  subscription.priceId = priceId
  if (difference > 0) bill(account, subscription, difference, now)
}

/** A card that works pays an open invoice at once. */
export function setCard(account: PlayAccount, now: number, card: string): void {
  account.card = card
  const owed = owedInvoiceOf(account)
  const subscription = liveSubscriptionOf(account)
  if (isWorkingCard(card) && owed && subscription) attempt(account, subscription, owed, now)
}

/** Lets everything happen that is due by now, each at its own time. */
export function catchUp(account: PlayAccount, now: number): void {
  for (;;) {
    const subscription = liveSubscriptionOf(account)
    if (!subscription) return
    const owed = owedInvoiceOf(account)
    const at = owed?.nextAttemptAt ?? subscription.periodEnd
    if (at > now) return
    if (owed) attempt(account, subscription, owed, at)
    else if (subscription.cancelsAtPeriodEnd) subscription.status = 'canceled'
    else {
      subscription.periodEnd = monthAfter(at)
      bill(account, subscription, offerOf(subscription.priceId).cents, at)
    }
  }
}

function bill(
  account: PlayAccount,
  subscription: PlaySubscription,
  cents: number,
  now: number,
): void {
  const id = randomUUID()
  const invoice: PlayInvoice = {
    id,
    number: `PLAY-${id.slice(0, 6).toUpperCase()}-${account.invoices.length + 1}`,
    subscriptionId: subscription.id,
    plan: offerOf(subscription.priceId).plan,
    cents,
    createdAt: now,
    periodEnd: subscription.periodEnd,
    paidAt: null,
    attempts: 0,
    nextAttemptAt: null,
    refunded: 0,
    dispute: null,
  }
  account.invoices.push(invoice)
  attempt(account, subscription, invoice, now)
}

function attempt(
  { card }: PlayAccount,
  subscription: PlaySubscription,
  invoice: PlayInvoice,
  at: number,
): void {
  const retryDelayMs = retryDelaysMs[invoice.attempts]
  invoice.attempts++
  invoice.nextAttemptAt = null
  if (isWorkingCard(card)) {
    invoice.paidAt = at
    subscription.status = 'active'
  } else if (retryDelayMs === undefined) subscription.status = 'canceled'
  else {
    invoice.nextAttemptAt = at + retryDelayMs
    subscription.status = 'past_due'
  }
}

/** The invoice that is retried. */
function owedInvoiceOf(account: PlayAccount): PlayInvoice | undefined {
  return account.invoices.findLast(({ nextAttemptAt }) => nextAttemptAt !== null)
}

/** On the same day of the next month, or on its last one. */
export function monthAfter(time: number): number {
  const date = new Date(time)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + 1)
  return date.getUTCDate() === day ? date.getTime() : date.setUTCDate(0)
}

export const workingCard = '4242424242424242'
/** The same card in every account; other numbers count as each customer's own. */
export const sharedCard = '5555555555554444'
export const decliningCard = '4000000000000002'

export function isWorkingCard(number: string | null): boolean {
  return number === workingCard || number === sharedCard
}

/** A typed number without its blanks. A real card must never be typed here. */
export function cardNumberOf(typed: string): string {
  const number = typed.replaceAll(/[\s-]/g, '')
  if (isWorkingCard(number) || number === decliningCard) return number
  throw new PlayMoneyRefusal(
    'Your card number is not one of the test cards. No real card belongs here.',
  )
}
