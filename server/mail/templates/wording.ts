import { z } from 'zod'
import { type Plan, planOffers, plans } from '#domain/plans.ts'

export const planSchema = z.enum(plans)
export const currencySchema = z.string().regex(/^[a-z]{3}$/i)
/** In the currency's smallest unit, as payment providers count. */
export const amountSchema = z.int().min(0)
export const instantSchema = z.iso.datetime({ offset: true })

/** 700 and 'usd' become `$7.00`; yen have no cents. */
export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

/** 'November 21, 2026', in UTC: the reader's time zone is unknown. */
export function day(instant: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(instant),
  )
}

/** For example 'Hoplet Pro'. The free plan is never paid for, so it has no name here. */
export function product(plan: Plan): string {
  return plan === 'free' ? 'Hoplet' : `Hoplet ${planOffers[plan].name}`
}
