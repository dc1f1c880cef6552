import { randomUUID } from 'node:crypto'
import { dollars } from '#domain/money.ts'
import { planOffers } from '#domain/plans.ts'
import { type PaidPlan, planOfPrice, playMoneyPrices } from '../settings.ts'

/** One customer of play money, as it is stored. Times are milliseconds of the play clock, amounts are cents. */
export interface PlayAccount {
  card: { number: string; works: boolean } | null
  subscriptions: PlaySubscription[]
  /** Oldest first. */
  invoices: PlayInvoice[]
}

export interface PlaySubscription {
  id: string
  priceId: string
  status: 'active' | 'past_due' | 'canceled'
  /** The day of the month of every renewal. */
  startedAt: number
  periodEnd: number
  cancelsAtPeriodEnd: boolean
}

export interface PlayInvoice {
  id: string
  number: string
  subscriptionId: string
  priceId: string
  cents: number
  createdAt: number
  periodEnd: number
  /** Null while it is unpaid. */
  paidAt: number | null
  attempts: number
  nextAttemptAt: number | null
  refundedCents: number
  /** A payment can be disputed once. */
  dispute: 'open' | 'won' | 'lost' | null
}

/** What a person asked for is not possible; the message is for the person. */
export class PlayMoneyRefusal extends Error {
  name = 'PlayMoneyRefusal'
}

/** Changes an account; `now` is the time of the play clock. @throws {PlayMoneyRefusal} */
export type AccountChange = (account: PlayAccount, now: number) => void

const dayMs = 86_400_000
/** After the first and the second failed attempt; after the third the subscription ends. */
const retryDelaysMs = [3 * dayMs, 5 * dayMs]
export const declinedMessage = 'Your card was declined.'

export interface PlayOffer {
  priceId: string
  plan: PaidPlan
  name: string
  cents: number
}

export function offerOf(priceId: string): PlayOffer {
  const plan = planOfPrice(playMoneyPrices, priceId)
  if (!plan) throw new PlayMoneyRefusal('This price does not exist.')
  const { name, price } = planOffers[plan]
  return { priceId, plan, name: `Hoplet ${name}`, cents: price * 100 }
}

export function liveSubscriptionOf(account: PlayAccount): PlaySubscription | undefined {
  return account.subscriptions.findLast(({ status }) => status !== 'canceled')
}

/** The payment that refunds and disputes are about. */
export function lastPaymentOf(account: PlayAccount): PlayInvoice | undefined {
  return account.invoices.findLast(({ paidAt }) => paidAt !== null)
}

/** The bank holds the money: the dispute is open or lost. */
export function isWithheld({ dispute }: PlayInvoice): boolean {
  return dispute === 'open' || dispute === 'lost'
}

/** Starts a subscription with its first payment; the card must be one that works. */
export function subscribe(
  account: PlayAccount,
  now: number,
  priceId: string,
  cardNumber: string,
): void {
  account.card = { number: cardNumber, works: true }
  const subscription: PlaySubscription = {
    id: `sub_${randomUUID()}`,
    priceId,
    status: 'active',
    startedAt: now,
    periodEnd: monthAfter(now, now),
    cancelsAtPeriodEnd: false,
  }
  account.subscriptions.push(subscription)
  bill(account, subscription, offerOf(priceId).cents, now)
}

/** A more expensive plan costs the difference now; for a cheaper one nothing is given back. */
export function changePlan(account: PlayAccount, now: number, priceId: string): void {
  const subscription = requireSubscription(account)
  const difference = offerOf(priceId).cents - offerOf(subscription.priceId).cents
  if (difference === 0) return
  if (difference > 0 && !account.card?.works)
    throw new PlayMoneyRefusal(`${declinedMessage} The plan stays as it is.`)
  subscription.priceId = priceId
  if (difference > 0) bill(account, subscription, difference, now)
}

export function cancelAtPeriodEnd(account: PlayAccount, isWanted: boolean): void {
  requireSubscription(account).cancelsAtPeriodEnd = isWanted
}

/** A card that works again pays an open invoice at once. */
export function setCard(account: PlayAccount, now: number, works: boolean): void {
  account.card = { number: works ? workingCard : failingCard, works }
  const owed = owedInvoiceOf(account)
  const subscription = liveSubscriptionOf(account)
  if (works && owed && subscription) attempt(account, subscription, owed, now)
}

export function refundPayment(account: PlayAccount, cents: number): void {
  const invoice = requirePayment(account)
  const left = invoice.cents - invoice.refundedCents
  if (isWithheld(invoice)) throw new PlayMoneyRefusal('A disputed payment cannot be refunded.')
  if (left === 0) throw new PlayMoneyRefusal('This payment has already been refunded.')
  if (cents < 1 || cents > left)
    throw new PlayMoneyRefusal(
      `The amount (${dollars(cents)}) is not between $0.01 and ${dollars(left)}, what is left of the payment.`,
    )
  invoice.refundedCents += cents
}

export function openDispute(account: PlayAccount): void {
  const invoice = requirePayment(account)
  if (invoice.dispute !== null)
    throw new PlayMoneyRefusal('This payment has already been disputed.')
  if (invoice.refundedCents === invoice.cents)
    throw new PlayMoneyRefusal('This payment has already been refunded.')
  invoice.dispute = 'open'
}

export function closeDispute(account: PlayAccount, isWon: boolean): void {
  const invoice = account.invoices.find(({ dispute }) => dispute === 'open')
  if (!invoice) throw new PlayMoneyRefusal('There is no open dispute.')
  invoice.dispute = isWon ? 'won' : 'lost'
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
      subscription.periodEnd = monthAfter(at, subscription.startedAt)
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
    id: `in_${id}`,
    number: `PLAY-${id.slice(0, 6).toUpperCase()}-${account.invoices.length + 1}`,
    subscriptionId: subscription.id,
    priceId: subscription.priceId,
    cents,
    createdAt: now,
    periodEnd: subscription.periodEnd,
    paidAt: null,
    attempts: 0,
    nextAttemptAt: null,
    refundedCents: 0,
    dispute: null,
  }
  account.invoices.push(invoice)
  attempt(account, subscription, invoice, now)
}

function attempt(
  account: PlayAccount,
  subscription: PlaySubscription,
  invoice: PlayInvoice,
  at: number,
): void {
  invoice.attempts++
  const retryDelayMs = retryDelaysMs[invoice.attempts - 1]
  if (account.card?.works) {
    invoice.paidAt = at
    invoice.nextAttemptAt = null
    subscription.status = 'active'
  } else if (retryDelayMs === undefined) {
    invoice.nextAttemptAt = null
    subscription.status = 'canceled'
  } else {
    invoice.nextAttemptAt = at + retryDelayMs
    subscription.status = 'past_due'
  }
}

/** The invoice that is retried. */
function owedInvoiceOf(account: PlayAccount): PlayInvoice | undefined {
  return account.invoices.findLast(({ nextAttemptAt }) => nextAttemptAt !== null)
}

function requireSubscription(account: PlayAccount): PlaySubscription {
  const subscription = liveSubscriptionOf(account)
  if (!subscription) throw new PlayMoneyRefusal('There is no subscription.')
  return subscription
}

function requirePayment(account: PlayAccount): PlayInvoice {
  const invoice = lastPaymentOf(account)
  if (!invoice) throw new PlayMoneyRefusal('There is no payment yet.')
  return invoice
}

/** The same day of the next month, or its last day. */
function monthAfter(time: number, anchor: number): number {
  const date = new Date(time)
  const anchorDay = new Date(anchor).getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + 1)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(anchorDay, lastDay))
  return date.getTime()
}

interface PlayCard {
  brand: string
  works: boolean
  /** The same card in every account; other numbers count as each customer's own. */
  isShared?: boolean
}

export const workingCard = '4242424242424242'
export const decliningCard = '4000000000000002'
/** Declines from the next renewal on. */
const failingCard = '4000000000000341'

/** The only numbers that are taken: a real card must never be typed here. */
export const playCards: Readonly<Record<string, PlayCard>> = {
  [workingCard]: { brand: 'Visa', works: true },
  '5555555555554444': { brand: 'Mastercard', works: true, isShared: true },
  [decliningCard]: { brand: 'Visa', works: false },
  [failingCard]: { brand: 'Visa', works: false },
}

/** A typed number without its blanks. */
export function cardNumberOf(typed: string): string {
  const number = typed.replaceAll(/[\s-]/g, '')
  if (Object.hasOwn(playCards, number)) return number
  throw new PlayMoneyRefusal(
    'Your card number is not one of the test cards. No real card belongs here.',
  )
}
