import {
  cancelAtPeriodEnd,
  changePlan,
  closeDispute,
  liveSubscriptionOf,
  openDispute,
  type PlayAccount,
  PlayMoneyRefusal,
  refundPayment,
  setCard,
} from './account.ts'
import {
  advancePlayClock,
  changePlayAccount,
  type PlayTransaction,
  readPlayAccount,
} from './store.ts'

type Fields = Readonly<Record<string, string>>

interface Button {
  /** What the page says afterwards. */
  done: string
  change?: (account: PlayAccount, now: number, fields: Fields) => void
  /** How far to advance the clock of every account, in milliseconds. */
  advanceMs?: (now: number, periodEnd: number | undefined) => number
}

const changeTo: Button = {
  done: 'The plan was changed.',
  change: (account, now, { price = '' }) => changePlan(account, now, price),
}

const buttons: Readonly<Record<string, Button>> = {
  confirm: changeTo,
  switch: changeTo,
  cancel: {
    done: 'The subscription ends with the paid period.',
    change: (account) => cancelAtPeriodEnd(account, true),
  },
  resume: {
    done: 'The subscription continues.',
    change: (account) => cancelAtPeriodEnd(account, false),
  },
  refund: {
    done: 'The payment was refunded.',
    change: (account, _now, { amount = '' }) => refundPayment(account, centsOf(amount)),
  },
  'card-fails': {
    done: 'The card declines from now on. Advance the time to the end of the period to see the renewal fail.',
    change: (account, now) => setCard(account, now, false),
  },
  'card-works': {
    done: 'The card works again, and what was owed is paid.',
    change: (account, now) => setCard(account, now, true),
  },
  dispute: { done: 'The last payment is disputed.', change: openDispute },
  'dispute-won': { done: 'The dispute was won.', change: (account) => closeDispute(account, true) },
  'dispute-lost': {
    done: 'The dispute was lost.',
    change: (account) => closeDispute(account, false),
  },
  'advance-day': { done: 'It is a day later.', advanceMs: () => 86_400_000 },
  'advance-month': {
    done: 'It is a month later.',
    advanceMs: (now) => {
      const date = new Date(now)
      return date.setUTCMonth(date.getUTCMonth() + 1) - now
    },
  },
  'advance-period': {
    done: 'The period is over.',
    advanceMs(now, periodEnd) {
      if (periodEnd === undefined) throw new PlayMoneyRefusal('There is no subscription.')
      return Math.max(0, periodEnd - now) + 1_000
    },
  },
}

function buttonNamed(name: string | undefined): Button | undefined {
  return name !== undefined && Object.hasOwn(buttons, name) ? buttons[name] : undefined
}

export function doneTextOf(name: string | undefined): string | undefined {
  return buttonNamed(name)?.done
}

/** Does what the pressed button says, to the page's own customer. @throws {PlayMoneyRefusal} */
export async function pressButton(
  transaction: PlayTransaction,
  customerId: string,
  fields: Fields,
): Promise<void> {
  const button = buttonNamed(fields['do'])
  if (!button) throw new PlayMoneyRefusal('There is no such button.')
  const { change, advanceMs } = button
  if (change)
    await changePlayAccount(transaction, customerId, (account, now) => change(account, now, fields))
  if (advanceMs) {
    const account = await readPlayAccount(transaction, customerId)
    const periodEnd = account && liveSubscriptionOf(account)?.periodEnd
    await advancePlayClock(transaction, advanceMs(transaction.now, periodEnd))
  }
}

function centsOf(typed: string): number {
  const match = /^\$?(\d{1,6})(?:\.(\d{1,2}))?$/.exec(typed.trim())
  if (!match) throw new PlayMoneyRefusal('Please enter an amount such as 3.50.')
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}
