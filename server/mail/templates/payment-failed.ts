import { z } from 'zod'
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

/** For a renewal that could not be paid. */
export const paymentFailed = defineTemplate(
  z.object({
    plan: planSchema,
    amount: amountSchema,
    currency: currencySchema,
    /** Null: nobody will try again. */
    nextAttempt: instantSchema.nullable(),
    portalUrl: z.string().max(2_000),
  }),
  ({ plan, amount, currency, nextAttempt, portalUrl }) => ({
    subject: `Your payment for ${product(plan)} failed`,
    title: 'Your payment failed',
    parts: [
      `We could not collect ${money(amount, currency)} for ${product(plan)}. Your bank may have declined the card, or it has expired.`,
      nextAttempt === null
        ? 'We will not try again. Your links keep working; to keep your plan, please pay with another card.'
        : `We will try again on ${day(nextAttempt)}. Your links keep working; to keep your plan, please check your card before then.`,
      { button: 'Check your payment details', to: portalUrl },
    ],
  }),
)
