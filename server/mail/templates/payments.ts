import { z } from 'zod'
import { planOffers, plans } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import { dayText, moneyText } from './formats.ts'
import { template } from './template.ts'

const instant = z.iso.datetime({ offset: true })

const payment = z.object({
  /** The free plan is never paid for, so it has no name here. */
  plan: z
    .enum(plans)
    .transform((plan) => (plan === 'free' ? 'Hoplet' : `Hoplet ${planOffers[plan].name}`)),
  /** In the currency's smallest unit, as payment providers count. */
  amount: z.int().min(0),
  currency: z.string().regex(/^[a-z]{3}$/i),
})

/** Emails about payments. */
export const paymentTemplates = {
  /** For an invoice that was paid. */
  receipt: template(
    payment.extend({
      number: z.string().max(200).nullable(),
      paidAt: instant,
      periodEnd: instant,
    }),
    ({ data, texts: { receipt: texts }, language }) => {
      const { plan } = data
      const amount = moneyText(data, language)
      return {
        subject: texts.subject({ plan }),
        title: texts.title(),
        parts: [
          texts.received({ amount, plan }),
          {
            facts: [
              [texts.amount(), amount],
              [texts.paidOn(), dayText(data.paidAt, language)],
              [texts.paidUntil(), dayText(data.periodEnd, language)],
              [texts.invoice(), data.number ?? ''],
            ],
          },
          { button: texts.seePlan(), to: routes.upgrade.path },
        ],
      }
    },
  ),
  /** For a renewal that could not be paid. `nextAttempt` is null when it is not tried again. */
  'payment-failed': template(
    payment.extend({ nextAttempt: instant.nullable(), portalUrl: z.string().max(2_000) }),
    ({ data, texts: { 'payment-failed': texts }, language }) => {
      const { plan, nextAttempt } = data
      return {
        subject: texts.subject({ plan }),
        title: texts.title(),
        parts: [
          texts.notCollected({ amount: moneyText(data, language), plan }),
          nextAttempt === null
            ? texts.notAgain()
            : texts.againOn({ day: dayText(nextAttempt, language) }),
          { button: texts.checkDetails(), to: data.portalUrl },
        ],
      }
    },
  ),
}
