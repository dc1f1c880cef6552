import { dollars } from '#domain/money.ts'
import type { PortalView } from '#public-pages/sandbox/portal-view.ts'
import { playMoneyPrices } from '../settings.ts'
import {
  changePlan,
  decliningCard,
  isWithheld,
  isWorkingCard,
  liveSubscriptionOf,
  monthAfter,
  offerOf,
  type PlayAccount,
  type PlayInvoice,
  PlayMoneyRefusal,
  type PlaySubscription,
  setCard,
  workingCard,
} from './account.ts'
import {
  advancePlayClock,
  changePlayAccount,
  type PlayPage,
  type PlayTransaction,
} from './store.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

interface Button {
  /** Message of the page afterwards. */
  done: string
  press?: (account: PlayAccount, now: number, form: URLSearchParams) => void
  /** To when to advance the clock of every account. */
  advanceTo?: (now: number, account: PlayAccount) => number
}

const changeTo: Button = {
  done: 'The plan was changed.',
  press: (account, now, form) =>
    changePlan(account, needed(liveSubscriptionOf(account)), now, form.get('price') ?? ''),
}

const buttons: Readonly<Record<string, Button>> = {
  confirm: changeTo,
  switch: changeTo,
  cancel: {
    done: 'The subscription ends with the paid period.',
    press: (account) => (needed(liveSubscriptionOf(account)).cancelsAtPeriodEnd = true),
  },
  resume: {
    done: 'The subscription continues.',
    press: (account) => (needed(liveSubscriptionOf(account)).cancelsAtPeriodEnd = false),
  },
  refund: {
    done: 'The payment was refunded.',
    press: (account, _now, form) =>
      refund(needed(lastPaymentOf(account)), Math.round(Number(form.get('amount')) * 100)),
  },
  'card-fails': {
    done: 'The card declines from now on. Advance the time to the end of the period to see the renewal fail.',
    press: (account, now) => setCard(account, now, decliningCard),
  },
  'card-works': {
    done: 'The card works again, and what was owed is paid.',
    press: (account, now) => setCard(account, now, workingCard),
  },
  dispute: {
    done: 'The last payment is disputed.',
    press: (account) => (needed(disputableOf(account)).dispute = 'open'),
  },
  'dispute-won': {
    done: 'The dispute was won.',
    press: (account) => (needed(disputedOf(account)).dispute = 'won'),
  },
  'dispute-lost': {
    done: 'The dispute was lost.',
    press: (account) => (needed(disputedOf(account)).dispute = 'lost'),
  },
  'advance-day': {
    done: 'It is a day later.',
    advanceTo: (now) => now + 86_400_000,
  },
  'advance-month': {
    done: 'It is a month later.',
    advanceTo: monthAfter,
  },
  'advance-period': {
    done: 'The period is over.',
    advanceTo: (now, account) =>
      Math.max(now, needed(liveSubscriptionOf(account)).periodEnd) + 1_000,
  },
}

function buttonNamed(name: string): Button | undefined {
  return Object.hasOwn(buttons, name) ? buttons[name] : undefined
}

/** Carries out the pressed button for the page's own customer. @throws {PlayMoneyRefusal} */
export async function pressButton(
  transaction: PlayTransaction,
  { customerId, account }: PlayPage,
  name: string,
  form: URLSearchParams,
): Promise<void> {
  const { press, advanceTo } = needed(buttonNamed(name))
  if (press)
    await changePlayAccount(transaction, customerId, (current, now) => press(current, now, form))
  if (advanceTo) await advancePlayClock(transaction, advanceTo(transaction.now, account))
}

/** Everything that the portal page shows. */
export function portalView(
  { account, backUrl, priceId }: PlayPage,
  now: number,
  pressed: string,
): PortalView {
  const { card, invoices } = account
  const subscription = liveSubscriptionOf(account)
  const payment = lastPaymentOf(account)
  return {
    subscription: subscription && describe(subscription, priceId),
    card: ifDefined(card, (own) => ({ label: labelOf(own), works: isWorkingCard(own) })),
    invoices: invoices
      .slice(-maxInvoicesShown)
      .toReversed()
      .map((invoice) => ({
        number: invoice.number,
        date: dateText(invoice.createdAt),
        cents: invoice.cents,
        state: stateOf(invoice),
      })),
    refundable: payment ? refundableCents(payment) : 0,
    disputable: disputableOf(account) !== undefined,
    disputed: disputedOf(account) !== undefined,
    now: dateText(now),
    returnUrl: backUrl,
    done: buttonNamed(pressed)?.done,
  }
}

const maxInvoicesShown = 24

function labelOf(card: string): string {
  return `${card.startsWith('4') ? 'Visa' : 'Mastercard'} •••• ${card.slice(-4)}`
}

/** @param wanted the price that the portal was opened to change to */
function describe(
  { priceId, periodEnd, cancelsAtPeriodEnd: ending, status }: PlaySubscription,
  wanted: string | null,
): PortalView['subscription'] {
  const { pro, business } = playMoneyPrices
  const offer = offerOf(priceId)
  const other = offerOf(priceId === pro ? business : pro)
  const isPastDue = status === 'past_due'
  return {
    ...offer,
    status: isPastDue ? 'Past due' : 'Active',
    outlook: isPastDue
      ? 'The last renewal was not paid. It is retried 3 and 8 days later, and then the subscription ends.'
      : `${ending ? 'Ends' : 'Renews'} on ${dateText(periodEnd)}.`,
    ending,
    other: { ...other, dueNow: Math.max(0, other.cents - offer.cents) },
    asksForChange: wanted === other.priceId,
  }
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

/** The payment that refunds and disputes are about. */
function lastPaymentOf(account: PlayAccount): PlayInvoice | undefined {
  return account.invoices.findLast(({ paidAt }) => paidAt !== null)
}

/** The last payment, once. */
function disputableOf(account: PlayAccount): PlayInvoice | undefined {
  const payment = lastPaymentOf(account)
  return payment?.dispute === null ? payment : undefined
}

function disputedOf({ invoices }: PlayAccount): PlayInvoice | undefined {
  return invoices.find(({ dispute }) => dispute === 'open')
}

function refundableCents(payment: PlayInvoice): number {
  return isWithheld(payment) ? 0 : payment.cents - payment.refunded
}

function refund(payment: PlayInvoice, cents: number): void {
  const left = refundableCents(payment)
  if (!(cents >= 1 && cents <= left))
    throw new PlayMoneyRefusal(
      `The amount is not between $0.01 and ${dollars(left)}, what is left of the payment.`,
    )
  payment.refunded += cents
}

/** An earlier view of the page may offer a button for a deleted subject, and a request may name one that never was. */
function needed<T>(value: T | undefined): T {
  if (value === undefined) throw new PlayMoneyRefusal('This is not possible now.')
  return value
}
