import { dollars } from '#domain/money.ts'
import {
  changePlan,
  failingCard,
  isWithheld,
  type PlayAccount,
  type PlayInvoice,
  PlayMoneyRefusal,
  requirePayment,
  requireSubscription,
  setCard,
  workingCard,
} from './account.ts'
import {
  advancePlayClock,
  changePlayAccount,
  type PlayTransaction,
  readPlayAccount,
} from './store.ts'

interface Button {
  /** What the page says afterwards. */
  done: string
  change?: (account: PlayAccount, now: number, form: URLSearchParams) => void
  /** To when to advance the clock of every account. */
  advanceTo?: (now: Date, account: PlayAccount) => number
}

const changeTo: Button = {
  done: 'The plan was changed.',
  change: (account, now, form) => changePlan(account, now, form.get('price') ?? ''),
}

const buttons: Readonly<Record<string, Button>> = {
  confirm: changeTo,
  switch: changeTo,
  cancel: {
    done: 'The subscription ends with the paid period.',
    change: (account) => (requireSubscription(account).cancelsAtPeriodEnd = true),
  },
  resume: {
    done: 'The subscription continues.',
    change: (account) => (requireSubscription(account).cancelsAtPeriodEnd = false),
  },
  refund: {
    done: 'The payment was refunded.',
    change: (account, _now, form) =>
      refund(requirePayment(account), centsOf(form.get('amount') ?? '')),
  },
  'card-fails': {
    done: 'The card declines from now on. Advance the time to the end of the period to see the renewal fail.',
    change: (account, now) => setCard(account, now, failingCard),
  },
  'card-works': {
    done: 'The card works again, and what was owed is paid.',
    change: (account, now) => setCard(account, now, workingCard),
  },
  dispute: {
    done: 'The last payment is disputed.',
    change: (account) => openDispute(requirePayment(account)),
  },
  'dispute-won': {
    done: 'The dispute was won.',
    change: (account) => (openlyDisputed(account).dispute = 'won'),
  },
  'dispute-lost': {
    done: 'The dispute was lost.',
    change: (account) => (openlyDisputed(account).dispute = 'lost'),
  },
  'advance-day': {
    done: 'It is a day later.',
    advanceTo: (now) => now.setUTCDate(now.getUTCDate() + 1),
  },
  'advance-month': {
    done: 'It is a month later.',
    advanceTo: (now) => now.setUTCMonth(now.getUTCMonth() + 1),
  },
  'advance-period': {
    done: 'The period is over.',
    advanceTo: (now, account) =>
      Math.max(now.getTime(), requireSubscription(account).periodEnd) + 1_000,
  },
}

function buttonNamed(name: string | null): Button | undefined {
  return name !== null && Object.hasOwn(buttons, name) ? buttons[name] : undefined
}

export function doneTextOf(name: string | null): string | undefined {
  return buttonNamed(name)?.done
}

/** Does what the pressed button says, to the page's own customer. @throws {PlayMoneyRefusal} */
export async function pressButton(
  transaction: PlayTransaction,
  customerId: string,
  name: string,
  form: URLSearchParams,
): Promise<void> {
  const button = buttonNamed(name)
  if (!button) throw new PlayMoneyRefusal('There is no such button.')
  const { change, advanceTo } = button
  if (change)
    await changePlayAccount(transaction, customerId, (account, now) => change(account, now, form))
  if (advanceTo) {
    const account = await readPlayAccount(transaction, customerId)
    await advancePlayClock(transaction, advanceTo(new Date(transaction.now), account))
  }
}

function refund(invoice: PlayInvoice, cents: number): void {
  const left = invoice.cents - invoice.refunded
  if (isWithheld(invoice)) throw new PlayMoneyRefusal('A disputed payment cannot be refunded.')
  if (cents < 1 || cents > left)
    throw new PlayMoneyRefusal(
      `The amount (${dollars(cents)}) is not between $0.01 and ${dollars(left)}, what is left of the payment.`,
    )
  invoice.refunded += cents
}

function openDispute(invoice: PlayInvoice): void {
  if (invoice.dispute !== null)
    throw new PlayMoneyRefusal('This payment has already been disputed.')
  invoice.dispute = 'open'
}

function openlyDisputed({ invoices }: PlayAccount): PlayInvoice {
  const invoice = invoices.find(({ dispute }) => dispute === 'open')
  if (!invoice) throw new PlayMoneyRefusal('There is no open dispute.')
  return invoice
}

function centsOf(typed: string): number {
  const match = /^\$?(\d{1,6})(?:\.(\d{1,2}))?$/.exec(typed.trim())
  if (!match) throw new PlayMoneyRefusal('Please enter an amount such as 3.50.')
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}
