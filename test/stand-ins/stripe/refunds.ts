import type Stripe from 'stripe'
import { isHeld } from './disputes.ts'
import { errors } from './errors.ts'
import { newId } from './ids.ts'
import { metadataOf, type Params, textOf, wholeOf } from './params.ts'
import { chargeOf } from './payments.ts'
import { emit, get, save, type Work } from './work.ts'

/** `POST refunds`, by charge or payment intent; everything that is left unless an amount is given. */
export async function createRefund(work: Work, params: Params): Promise<Stripe.Refund> {
  const chargeId = textOf(params, 'charge')
  const intentId = textOf(params, 'payment_intent')
  const found =
    chargeId === undefined
      ? intentId === undefined
        ? undefined
        : await chargeOf(work, intentId)
      : await get(work, 'charge', chargeId, 'charge')
  if (!found) throw errors.required('charge')
  return refundCharge(work, found, wholeOf(params, 'amount'), metadataOf(params))
}

export async function refundCharge(
  work: Work,
  charge: Stripe.Charge,
  cents = charge.amount - charge.amount_refunded,
  metadata: Record<string, string> = {},
): Promise<Stripe.Refund> {
  if (await isHeld(work, charge)) throw errors.chargedBack(charge.id)
  const left = charge.amount_captured - charge.amount_refunded
  if (left === 0) throw errors.refunded(charge.id)
  if (cents < 1 || cents > left) {
    throw errors.wrong(
      `Refund amount ($${(cents / 100).toFixed(2)}) is not between $0.01 and the unrefunded amount on charge ($${(left / 100).toFixed(2)})`,
      'amount',
    )
  }
  const refund = await save(work, newRefund(work, charge, cents, metadata))
  const { amount_refunded } = charge
  charge.amount_refunded += cents
  charge.refunded = charge.amount_refunded === charge.amount
  await save(work, charge)
  await emit(work, 'refund.created', refund)
  await emit(work, 'charge.refunded', charge, { amount_refunded })
  return refund
}

function newRefund(
  work: Work,
  charge: Stripe.Charge,
  cents: number,
  metadata: Record<string, string>,
): Stripe.Refund {
  return {
    id: newId('re'),
    object: 'refund',
    amount: cents,
    balance_transaction: newId('txn'),
    charge: charge.id,
    created: work.now,
    currency: 'usd',
    customer: charge.customer,
    customer_account: null,
    metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    reason: 'requested_by_customer',
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  }
}
