import type Stripe from 'stripe'
import { errors } from './errors.ts'
import { idOf, newId } from './ids.ts'
import { emit, save, select, type Work } from './work.ts'

/** The bank of the card's owner takes the money back, for now. */
export async function openDispute(work: Work, charge: Stripe.Charge): Promise<Stripe.Dispute> {
  if (charge.disputed) throw errors.refused('This payment is disputed already.')
  const left = charge.amount_captured - charge.amount_refunded
  if (left === 0) throw errors.refunded(charge.id)
  const owner = idOf(charge.customer) ?? ''
  const dispute = await save(work, newDispute(work, charge, left), owner)
  charge.disputed = true
  await save(work, charge)
  await emit(work, 'charge.dispute.created', dispute)
  await emit(work, 'charge.dispute.funds_withdrawn', dispute)
  return dispute
}

/** The bank decides: won gives the money back to us. */
export async function closeDispute(
  work: Work,
  dispute: Stripe.Dispute,
  won: boolean,
): Promise<Stripe.Dispute> {
  if (dispute.status !== 'needs_response') throw errors.refused('This dispute is closed.')
  dispute.status = won ? 'won' : 'lost'
  dispute.evidence_details.has_evidence = won
  await save(work, dispute)
  await emit(work, 'charge.dispute.closed', dispute, { status: 'needs_response' })
  if (won) await emit(work, 'charge.dispute.funds_reinstated', dispute)
  return dispute
}

/** The bank has the money: the dispute is open or lost. A charge stays marked as disputed after a won dispute. */
export async function isHeld(work: Work, charge: Stripe.Charge): Promise<boolean> {
  if (!charge.disputed) return false
  const [kept] = await select(work, 'dispute', {
    like: { charge: charge.id },
    unlike: { status: 'won' },
    limit: 1,
  })
  return kept !== undefined
}

export async function openDisputeOf(
  work: Work,
  customer: string,
): Promise<Stripe.Dispute | undefined> {
  const [dispute] = await select(work, 'dispute', {
    customer,
    like: { status: 'needs_response' },
    limit: 1,
  })
  return dispute
}

function newDispute(work: Work, charge: Stripe.Charge, cents: number): Stripe.Dispute {
  return {
    id: newId('dp'),
    object: 'dispute',
    amount: cents,
    balance_transactions: [],
    charge: charge.id,
    created: work.now,
    currency: 'usd',
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: work.now + 7 * 86_400,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'none',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: 'needs_response',
  }
}

const noEvidence: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
}
