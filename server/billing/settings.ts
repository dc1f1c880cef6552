import type { Plan } from '#domain/plans.ts'

export type PaidPlan = Exclude<Plan, 'free'>

/** The price identifier of each paid plan, as the payment provider knows it. */
export type Prices = Readonly<Record<PaidPlan, string>>

/** The payment provider. Without a provider, paid plans cannot be bought. */
export type PaymentSettings =
  | {
      provider: 'stripe'
      secretKey: string
      /** Unset: webhook calls get 503 until it is set; the reconcile job reads the events. */
      webhookSecret: string | undefined
      prices: Prices
      /** Replaces Stripe's own address, for tests. */
      apiUrl: string | undefined
    }
  | { provider: 'play_money' }

export type PaymentProviderName = PaymentSettings['provider']

export const playMoneyPrices: Prices = { pro: 'price_play_pro', business: 'price_play_business' }

export function pricesOf(settings: PaymentSettings): Prices {
  return settings.provider === 'stripe' ? settings.prices : playMoneyPrices
}

/** The plan that a price buys; undefined for any other price. */
export function planOfPrice(prices: Prices, priceId: string | null): PaidPlan | undefined {
  return (['pro', 'business'] as const).find((plan) => prices[plan] === priceId)
}
