import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import { errors } from './errors.ts'
import { newId } from './ids.ts'
import { emit, find, save, type Work } from './work.ts'

interface TestCard {
  brand: 'visa' | 'mastercard'
  /** Whether it pays. */
  good: boolean
  /** The same card in every account; other numbers count as each customer's own. */
  shared?: boolean
}

/** The card numbers that the stand-in knows, Stripe's own test numbers. */
const testCards: Readonly<Record<string, TestCard>> = {
  '4242424242424242': { brand: 'visa', good: true },
  '5555555555554444': { brand: 'mastercard', good: true, shared: true },
  '4000000000000002': { brand: 'visa', good: false },
  '4000000000000341': { brand: 'visa', good: false },
}

export const goodCard = '4242424242424242'
/** Can be put on file, and declines from then on. */
export const failingCard = '4000000000000341'

/** A typed number. @throws {StandInError} for a number that is not a test card */
function cardNumberOf(typed: string): string {
  const number = typed.replaceAll(/[\s-]/g, '')
  if (Object.hasOwn(testCards, number)) return number
  throw errors.refused(
    'Your card number is not one of the test cards. No real card belongs here.',
    'incorrect_number',
  )
}

/** Makes the card the one that the customer pays with. */
export async function putCardOnFile(
  work: Work,
  customer: Stripe.Customer,
  number: string,
): Promise<Stripe.PaymentMethod> {
  const before = customer.invoice_settings.default_payment_method
  const method = await save(work, paymentMethod(customer, number, work.now))
  await emit(work, 'payment_method.attached', method)
  customer.invoice_settings.default_payment_method = method.id
  await emit(work, 'customer.updated', await save(work, customer), {
    invoice_settings: { default_payment_method: before },
  })
  return method
}

export async function cardOf(
  work: Work,
  customer: Stripe.Customer,
): Promise<Stripe.PaymentMethod | undefined> {
  const id = customer.invoice_settings.default_payment_method
  return typeof id === 'string' ? find(work, 'payment_method', id) : undefined
}

/** Kept in the metadata, because the card's number never is. */
export function isGood(method: Stripe.PaymentMethod): boolean {
  return method.metadata?.stand_in !== 'declines'
}

export function paymentMethod(
  customer: Stripe.Customer,
  number: string,
  now: number,
): Stripe.PaymentMethod {
  const { brand, good, shared } = testCards[cardNumberOf(number)] ?? { brand: 'visa', good: false }
  return {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: {
      address: null,
      email: customer.email,
      name: customer.name ?? null,
      phone: null,
      tax_id: null,
    },
    card: {
      brand,
      checks: {
        address_line1_check: null,
        address_postal_code_check: null,
        cvc_check: 'pass',
      },
      country: 'US',
      display_brand: brand,
      exp_month: 12,
      exp_year: new Date(now * 1000).getUTCFullYear() + 5,
      fingerprint: createHash('sha256')
        .update(`${number} ${shared ? '' : customer.id}`)
        .digest('hex')
        .slice(0, 16),
      funding: 'credit',
      generated_from: null,
      last4: number.slice(-4),
      networks: { available: [brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: now,
    customer: customer.id,
    customer_account: null,
    livemode: false,
    metadata: good ? {} : { stand_in: 'declines' },
    type: 'card',
  }
}
