import type Stripe from 'stripe'
import { type Plan, planOffers } from '#domain/plans.ts'
import { errors } from './errors.ts'

export const standInPrices = { pro: 'price_test_pro', business: 'price_test_business' }

/** One of the two prices that the stand-in sells. */
export interface Offer {
  priceId: string
  plan: Exclude<Plan, 'free'>
  name: string
  cents: number
}

const offers: readonly Offer[] = (['pro', 'business'] as const).map((plan) => ({
  priceId: standInPrices[plan],
  plan,
  name: `Hoplet ${planOffers[plan].name}`,
  cents: planOffers[plan].price * 100,
}))

/** @throws {StandInError} for a price that is not sold */
export function offerOf(priceId: string, param = 'price'): Offer {
  const offer = offers.find((one) => one.priceId === priceId)
  if (!offer) throw errors.missingReference('price', priceId, param)
  return offer
}

/** Decimals travel as strings; the client makes objects of them. */
const decimal = (cents: number) => String(cents) as unknown as Stripe.Decimal

// Before everything that is paid with them.
const created = 1_735_689_600

export function priceOf({ priceId, plan, cents, name }: Offer): Stripe.Price {
  return {
    id: priceId,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created,
    currency: 'usd',
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: name,
    product: `prod_test_${plan}`,
    recurring: {
      interval: 'month',
      interval_count: 1,
      meter: null,
      trial_period_days: null,
      usage_type: 'licensed',
    },
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'recurring',
    unit_amount: cents,
    unit_amount_decimal: decimal(cents),
  }
}

/** The price in the older format, which subscription items still carry. */
export function planObjectOf({ priceId, plan, cents, name }: Offer): Stripe.Plan {
  return {
    id: priceId,
    object: 'plan',
    active: true,
    amount: cents,
    amount_decimal: decimal(cents),
    billing_scheme: 'per_unit',
    created,
    currency: 'usd',
    interval: 'month',
    interval_count: 1,
    livemode: false,
    metadata: {},
    meter: null,
    nickname: name,
    product: `prod_test_${plan}`,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  }
}

export function pricingOf(offer: Offer, cents: number): Stripe.InvoiceLineItem.Pricing {
  return {
    type: 'price_details',
    price_details: { price: offer.priceId, product: `prod_test_${offer.plan}` },
    unit_amount_decimal: decimal(cents),
  }
}
