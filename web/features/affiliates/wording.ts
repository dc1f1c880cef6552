import { dollars } from '#domain/money.ts'
import type { CommissionLine } from '#web/api/database.ts'

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

/** Amount of a line with its sign: +$1.75 or −$1.75. */
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
  earned: '',
  refund: 'Refund: ',
  refund_undone: 'Refund taken back: ',
  dispute: 'Payment disputed: ',
  dispute_won: 'Dispute won: ',
}

/** The payer, as far as an affiliate may know: one of their sign-ups, or a sign-up of one. */
export function whoOf({ kind, tier, sign_up_number, sign_up_month }: CommissionLine): string {
  const signUp =
    sign_up_number === null || sign_up_month === null
      ? 'a deleted account'
      : `sign-up #${sign_up_number} (${monthName(sign_up_month)})`
  const who = tier === 1 ? signUp : `friend of ${signUp}`
  const text = `${kinds[kind]}${who}`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** 10% of $47: whole dollars without their cents. */
export function shareOf({ rate_percent, base_cents }: CommissionLine): string {
  return `${rate_percent}% of ${base_cents % 100 === 0 ? wholeDollars(base_cents) : dollars(base_cents)}`
}

/** The state of a line; everything but 'Paid' is still open or void, and shown in the pending style. */
export function statusOf(line: CommissionLine): string {
  if (line.is_play_money) return line.status === 'canceled' ? 'Play money, void' : 'Test'
  switch (line.status) {
    case 'paid':
      return line.amount_cents < 0 ? 'Taken back' : 'Paid'
    case 'held':
      return 'In review'
    case 'canceled':
      return 'Canceled'
    case 'pending':
      return line.is_due ? 'Pending payout' : `Pending until ${date(line.due_at)}`
  }
}
