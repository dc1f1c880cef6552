import { enqueueMail } from '../mail/outbox.ts'
import type { Plan } from '#domain/plans.ts'
import type { Transaction } from '../postgres/database.ts'
import type { FailedPayment, InvoiceFacts } from './provider.ts'

/** One email for each paid invoice with an amount. */
export async function sendReceipts(
  db: Transaction,
  recipient: string,
  plan: Plan,
  invoices: readonly InvoiceFacts[],
): Promise<void> {
  for (const invoice of invoices) {
    if (invoice.paid === 0) continue
    await enqueueMail(db, {
      key: `receipt:${invoice.id}`,
      template: 'receipt',
      recipient,
      data: {
        plan: invoice.plan ?? plan,
        amount: invoice.paid,
        currency: invoice.currency,
        number: invoice.number,
        paidAt: invoice.paidAt.toISOString(),
        periodEnd: invoice.periodEnd.toISOString(),
      },
    })
  }
}

/** One email for each failed attempt. @param portalUrl where a person updates the card */
export async function sendPaymentFailures(
  db: Transaction,
  recipient: string,
  plan: Plan,
  failures: readonly FailedPayment[],
  portalUrl: string,
): Promise<void> {
  for (const { invoiceId, attempt, cents, currency, nextAttemptAt } of failures) {
    const nextAttempt = nextAttemptAt?.toISOString() ?? null
    await enqueueMail(db, {
      key: `payment-failed:${invoiceId}:${attempt}`,
      template: 'payment-failed',
      recipient,
      data: { plan, amount: cents, currency, nextAttempt, portalUrl },
    })
  }
}
