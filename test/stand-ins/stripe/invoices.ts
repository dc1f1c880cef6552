import type Stripe from 'stripe'
import { cardOf } from './cards.ts'
import { type Offer, pricingOf } from './catalog.ts'
import { newId } from './ids.ts'
import { charge } from './payments.ts'
import { emit, find, save, select, type Work } from './work.ts'

const day = 86_400

interface Bill {
  customer: Stripe.Customer
  subscription: Stripe.Subscription
  offer: Offer
  cents: number
  reason: Stripe.Invoice.BillingReason
  period: { start: number; end: number }
}

/** Creates an invoice and charges the card on file. */
export async function bill(
  work: Work,
  wanted: Bill,
): Promise<{ invoice: Stripe.Invoice; paid: boolean }> {
  const { customer, subscription } = wanted
  const invoice = newInvoice(work, wanted)
  customer.next_invoice_sequence = (customer.next_invoice_sequence ?? 1) + 1
  await save(work, customer)
  await emit(work, 'invoice.created', await save(work, invoice))
  invoice.status = 'open'
  invoice.status_transitions.finalized_at = work.now
  invoice.effective_at = work.now
  await emit(work, 'invoice.finalized', await save(work, invoice), { status: 'draft' })
  subscription.latest_invoice = invoice.id
  return { invoice, paid: await attempt(work, customer, invoice) }
}

/** Tries to charge an open invoice. There is no attempt after the third failure. */
export async function attempt(
  work: Work,
  customer: Stripe.Customer,
  invoice: Stripe.Invoice,
): Promise<boolean> {
  const method = await cardOf(work, customer)
  const [payment] = await select(work, 'invoice_payment', { like: { invoice: invoice.id } })
  const intentId = payment?.payment.payment_intent
  const known =
    typeof intentId === 'string' ? await find(work, 'payment_intent', intentId) : undefined
  const result = method && (await charge(work, chargeFor(customer, method, invoice), known))
  invoice.attempted = true
  invoice.attempt_count++
  if (result) await savePayment(work, customer, invoice, payment, result)
  if (result?.paid) {
    invoice.status = 'paid'
    invoice.amount_paid = invoice.amount_due
    invoice.amount_remaining = 0
    invoice.next_payment_attempt = null
    invoice.status_transitions.paid_at = work.now
    await save(work, invoice)
    await emit(work, 'invoice.paid', invoice)
    await emit(work, 'invoice.payment_succeeded', invoice)
    return true
  }
  const wait = [3 * day, 5 * day][invoice.attempt_count - 1]
  invoice.next_payment_attempt = wait === undefined ? null : work.now + wait
  await emit(work, 'invoice.payment_failed', await save(work, invoice))
  return false
}

function chargeFor(
  customer: Stripe.Customer,
  method: Stripe.PaymentMethod,
  invoice: Stripe.Invoice,
) {
  const first = invoice.billing_reason === 'subscription_create'
  const description = first ? 'Subscription creation' : 'Subscription update'
  return { customer, method, cents: invoice.amount_due, description }
}

async function savePayment(
  work: Work,
  customer: Stripe.Customer,
  invoice: Stripe.Invoice,
  known: Stripe.InvoicePayment | undefined,
  { intent, paid }: { intent: Stripe.PaymentIntent; paid: boolean },
): Promise<void> {
  const payment: Stripe.InvoicePayment = {
    id: known?.id ?? newId('inpay'),
    object: 'invoice_payment',
    amount_paid: paid ? invoice.amount_due : null,
    amount_requested: invoice.amount_due,
    created: known?.created ?? work.now,
    currency: 'usd',
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: paid ? 'paid' : 'open',
    status_transitions: { canceled_at: null, paid_at: paid ? work.now : null },
  }
  await save(work, payment, customer.id)
  if (paid) await emit(work, 'invoice_payment.paid', payment)
}

/** The payments of an invoice as the list that `expand` puts into it. */
export async function paymentsOf(
  work: Work,
  invoiceId: string,
): Promise<Stripe.ApiList<Stripe.InvoicePayment>> {
  const data = await select(work, 'invoice_payment', { like: { invoice: invoiceId } })
  return { object: 'list', data, has_more: false, url: `/v1/invoice_payments?invoice=${invoiceId}` }
}

function newInvoice(work: Work, wanted: Bill): Stripe.Invoice {
  const { customer, subscription, cents, reason, period } = wanted
  const id = newId('in')
  const sequence = String(customer.next_invoice_sequence ?? 1).padStart(4, '0')
  return {
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'Hoplet tests',
    account_tax_ids: null,
    amount_due: cents,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_remaining: cents,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    automatic_tax: {
      disabled_reason: null,
      enabled: false,
      liability: null,
      provider: null,
      status: null,
    },
    automatically_finalizes_at: null,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created: work.now,
    currency: 'usd',
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    due_date: null,
    effective_at: null,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: {
      object: 'list',
      data: [newLine(wanted, id)],
      has_more: false,
      url: `/v1/invoices/${id}/lines`,
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: `${customer.invoice_prefix ?? 'HOPLET'}-${sequence}`,
    on_behalf_of: null,
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
    },
    payment_settings: {
      default_mandate: null,
      payment_method_options: null,
      payment_method_types: null,
    },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'draft',
    status_transitions: {
      finalized_at: null,
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
    subtotal: cents,
    subtotal_excluding_tax: cents,
    test_clock: null,
    total: cents,
    total_discount_amounts: [],
    total_excluding_tax: cents,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  }
}

function newLine(
  { subscription, offer, cents, reason, period }: Bill,
  invoiceId: string,
): Stripe.InvoiceLineItem {
  return {
    id: newId('il'),
    object: 'line_item',
    amount: cents,
    currency: 'usd',
    description:
      reason === 'subscription_update'
        ? `Change to ${offer.name}`
        : `1 × ${offer.name} (at $${(offer.cents / 100).toFixed(2)} / month)`,
    discount_amounts: [],
    discountable: true,
    discounts: [],
    invoice: invoiceId,
    livemode: false,
    metadata: {},
    parent: {
      type: 'subscription_item_details',
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: reason === 'subscription_update',
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: subscription.items.data[0]?.id ?? '',
      },
    },
    period,
    pretax_credit_amounts: [],
    pricing: pricingOf(offer, cents),
    quantity: 1,
    quantity_decimal: null,
    subscription: subscription.id,
    subtotal: cents,
    taxes: [],
  }
}
