import type Stripe from 'stripe'
import type { Transaction } from '../postgres/database.ts'
import { enqueueMail } from '../mail/outbox.ts'
import type { Reading } from './apply-truth.ts'
import type { InvoiceFacts } from './read-truth.ts'

/** Whose customer it is; no address when the account is gone. */
export interface Account {
  user_id: string | null
  account_id: string
  email: string | null
}

/** One for each invoice that was paid with money. */
export async function sendReceipts(
  db: Transaction,
  { decision }: Reading,
  { email }: Account,
  invoices: readonly InvoiceFacts[],
): Promise<void> {
  for (const { id, plan, paid, currency, number, paidAt, periodEnd } of invoices) {
    if (email === null || paid === 0) continue
    await enqueueMail(db, {
      key: `receipt:${id}`,
      template: 'receipt',
      recipient: email,
      data: {
        plan: plan ?? decision.plan,
        amount: paid,
        currency,
        number,
        paidAt: paidAt.toISOString(),
        periodEnd: periodEnd.toISOString(),
      },
    })
  }
}

/** One for each attempt that failed, unless the invoice was paid by now. */
export async function sendFailures(
  db: Transaction,
  { truth, decision, upgradeUrl }: Reading,
  { email }: Account,
  events: readonly Stripe.Event[],
): Promise<void> {
  for (const event of events) {
    if (email === null || event.type !== 'invoice.payment_failed') continue
    const invoice = event.data.object
    // The first payment fails before the person's eyes.
    if (invoice.billing_reason === 'subscription_create') continue
    if (truth.invoices.some(({ id }) => id === invoice.id)) continue
    const next = invoice.next_payment_attempt
    await enqueueMail(db, {
      key: `payment-failed:${invoice.id}:${invoice.attempt_count}`,
      template: 'payment-failed',
      recipient: email,
      data: {
        plan: decision.plan,
        amount: invoice.amount_due,
        currency: invoice.currency,
        nextAttempt: next === null ? null : new Date(next * 1000).toISOString(),
        portalUrl: upgradeUrl,
      },
    })
  }
}
