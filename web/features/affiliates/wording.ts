import { dollars } from '#domain/money.ts'
import type { CommissionLine } from '#web/database.ts'

const wholeMoney = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
})
const monthAndYear = new Intl.DateTimeFormat('en', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})
const shortMonth = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** For the scale of a chart, which has whole dollars. */
export function wholeDollars(cents: number): string {
  return wholeMoney.format(cents / 100)
}

/** Of a line: +$1.75 or −$1.75. */
export function change(cents: number): string {
  return `${cents < 0 ? '' : '+'}${dollars(cents)}`
}

export function date(instant: string): string {
  return day.format(new Date(instant))
}

/** '2026-05' as May 2026. */
export function monthName(month: string): string {
  return monthAndYear.format(new Date(`${month}-01`))
}

export function shortMonthName(month: string): string {
  return shortMonth.format(new Date(`${month}-01`))
}

const kinds: Readonly<Record<CommissionLine['kind'], string>> = {
  earned: 'Commission',
  refund: 'Refund',
  refund_undone: 'Refund taken back',
  dispute: 'Payment disputed',
  dispute_won: 'Dispute won',
}

export function kindName({ kind, tier }: CommissionLine): string {
  return `${kinds[kind]}, tier ${tier}`
}

/** Why a line exists: which sign-up, which invoice, which rate. Nothing in it tells who paid. */
export function reasonOf(line: CommissionLine): string {
  const signUp =
    line.sign_up_number === null || line.sign_up_month === null
      ? null
      : `ign-up #${line.sign_up_number} (${monthName(line.sign_up_month)})`
  return [
    ...(signUp === null ? [] : [line.tier === 1 ? `S${signUp}` : `Brought by s${signUp}`]),
    `invoice ${line.invoice_ref}`,
    `${line.rate_percent}% of ${dollars(line.base_cents)}`,
  ].join(' · ')
}

/** The state of a line; everything but 'Paid' is still open or void, and shown in the pending style. */
export function statusOf(line: CommissionLine): string {
  if (line.is_play_money)
    return line.status === 'canceled' ? 'Play money, void' : 'Play money, never paid out'
  switch (line.status) {
    case 'paid':
      return 'Paid'
    case 'held':
      return 'In review'
    case 'canceled':
      return 'Canceled'
    case 'pending':
      return line.is_due ? 'Pending payout' : `Pending until ${date(line.due_at)}`
  }
}
