import type Stripe from 'stripe'
import { isGood } from './cards.ts'
import { newId } from './ids.ts'
import { emit, find, save, type Work } from './work.ts'

export const declinedMessage = 'Your card was declined.'

interface Payment {
  customer: Stripe.Customer
  method: Stripe.PaymentMethod
  cents: number
  description: string
}

/**
 * Tries to take the money. The charge is kept even when the card declines.
 *
 * @param intent of an earlier attempt for the same invoice
 */
export async function charge(
  work: Work,
  { customer, method, cents, description }: Payment,
  intent?: Stripe.PaymentIntent,
): Promise<{ intent: Stripe.PaymentIntent; paid: boolean }> {
  const paid = isGood(method)
  const tried = intent ?? newIntent(work, customer, cents, description)
  if (!intent) await emit(work, 'payment_intent.created', await save(work, tried))
  const made = newCharge(work, { customer, method, cents, description }, tried.id, paid)
  await save(work, made)
  tried.latest_charge = made.id
  tried.payment_method = paid ? method.id : null
  tried.status = paid ? 'succeeded' : 'requires_payment_method'
  tried.amount_received = paid ? cents : 0
  tried.last_payment_error = paid
    ? null
    : {
        charge: made.id,
        code: 'card_declined',
        decline_code: 'generic_decline',
        message: declinedMessage,
        payment_method: method,
        type: 'card_error',
      }
  await save(work, tried)
  await emit(work, paid ? 'charge.succeeded' : 'charge.failed', made)
  await emit(work, paid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', tried)
  return { intent: tried, paid }
}

/** The charge of an intent that took the money. */
export async function chargeOf(work: Work, intentId: string): Promise<Stripe.Charge | undefined> {
  const intent = await find(work, 'payment_intent', intentId)
  const id = intent?.latest_charge
  return typeof id === 'string' ? find(work, 'charge', id) : undefined
}

function newIntent(
  work: Work,
  customer: Stripe.Customer,
  cents: number,
  description: string,
): Stripe.PaymentIntent {
  const id = newId('pi')
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: cents,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic',
    client_secret: null,
    confirmation_method: 'automatic',
    created: work.now,
    currency: 'usd',
    customer: customer.id,
    customer_account: null,
    description,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    managed_payments: null,
    metadata: {},
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    payment_record: null,
    processing: null,
    receipt_email: null,
    review: null,
    setup_future_usage: 'off_session',
    shipping: null,
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'processing',
    transfer_data: null,
    transfer_group: null,
  }
}

function newCharge(
  work: Work,
  { customer, method, cents, description }: Payment,
  intentId: string,
  paid: boolean,
): Stripe.Charge {
  return {
    id: newId('ch'),
    object: 'charge',
    amount: cents,
    amount_captured: paid ? cents : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: paid ? newId('txn') : null,
    billing_details: {
      address: null,
      email: customer.email,
      name: customer.name ?? null,
      phone: null,
      tax_id: null,
    },
    calculated_statement_descriptor: 'HOPLET TESTS',
    captured: paid,
    created: work.now,
    currency: 'usd',
    customer: customer.id,
    description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: paid ? null : 'card_declined',
    failure_message: paid ? null : declinedMessage,
    fraud_details: {},
    livemode: false,
    metadata: {},
    on_behalf_of: null,
    outcome: {
      advice_code: paid ? null : 'try_again_later',
      network_advice_code: null,
      network_decline_code: null,
      network_status: paid ? 'approved_by_network' : 'declined_by_network',
      reason: paid ? null : 'generic_decline',
      risk_level: 'normal',
      risk_score: 10,
      seller_message: paid
        ? 'Payment complete.'
        : 'The bank did not return any further details with this decline.',
      type: paid ? 'authorized' : 'issuer_declined',
    },
    paid,
    payment_intent: intentId,
    payment_method: method.id,
    payment_method_details: { type: 'card', card: cardDetails(method, cents) },
    receipt_email: null,
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: paid ? 'succeeded' : 'failed',
    transfer_data: null,
    transfer_group: null,
  }
}

function cardDetails(
  { card }: Stripe.PaymentMethod,
  cents: number,
): Stripe.Charge.PaymentMethodDetails.Card {
  return {
    amount_authorized: cents,
    authorization_code: null,
    brand: card?.brand ?? null,
    checks: card?.checks ?? null,
    country: card?.country ?? null,
    electronic_commerce_indicator: null,
    exp_month: card?.exp_month ?? 12,
    exp_year: card?.exp_year ?? 2030,
    fingerprint: card?.fingerprint ?? null,
    funding: card?.funding ?? null,
    installments: null,
    last4: card?.last4 ?? null,
    mandate: null,
    network: card?.brand ?? null,
    network_transaction_id: null,
    regulated_status: card?.regulated_status ?? null,
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  }
}
