import type { Plan } from '#domain/plans.ts'

export type PaidPlan = Exclude<Plan, 'free'>

/** The price identifier of each paid plan, as the payment provider knows it. */
export type Prices = Readonly<Record<PaidPlan, string>>

/** Who takes the money. Without any, paid plans cannot be bought. */
export type PaymentSettings =
  | {
      provider: 'stripe'
      secretKey: string
      /** Unset: events are refused with 503 until it is set; the reconcile job reads them. */
      webhookSecret: string | undefined
      prices: Prices
      /** A stand-in for Stripe's own address. */
      apiUrl: string | undefined
    }
  | { provider: 'sandbox' }

const sandboxPrices: Prices = { pro: 'price_sandbox_pro', business: 'price_sandbox_business' }

export function pricesOf(settings: PaymentSettings): Prices {
  return settings.provider === 'stripe' ? settings.prices : sandboxPrices
}

/** The plan that a price buys; undefined for any other price. */
export function planOfPrice(prices: Prices, priceId: string | null): PaidPlan | undefined {
  return (['pro', 'business'] as const).find((plan) => prices[plan] === priceId)
}
