import { z } from 'zod'
import { routes } from '#domain/routes.ts'
import { defineTemplate } from '../email.ts'
import {
  amountSchema,
  currencySchema,
  day,
  instantSchema,
  money,
  planSchema,
  product,
} from './wording.ts'

/** For an invoice that was paid. */
export const receipt = defineTemplate(
  z.object({
    plan: planSchema,
    amount: amountSchema,
    currency: currencySchema,
    number: z.string().max(200).nullable(),
    paidAt: instantSchema,
    periodEnd: instantSchema,
  }),
  ({ plan, amount, currency, number, paidAt, periodEnd }) => ({
    subject: `Your receipt for ${product(plan)}`,
    title: 'Thank you for your payment',
    parts: [
      `We have received ${money(amount, currency)} for ${product(plan)}.`,
      {
        facts: [
          ['Amount', money(amount, currency)],
          ['Paid on', day(paidAt)],
          ['Paid until', day(periodEnd)],
          ...(number === null ? [] : [['Invoice', number] as [string, string]]),
        ],
      },
      { button: 'See your plan', to: routes.upgrade.path },
    ],
  }),
)
