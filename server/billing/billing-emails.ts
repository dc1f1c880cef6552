import { enqueueMail } from '../mail/outbox.ts'
import type { Plan } from '#domain/plans.ts'
import type { Transaction } from '../postgres/database.ts'
import type { InvoiceFacts, ProviderEvent } from './provider.ts'

/** One email for each paid invoice with an amount. */
export async function sendReceipts(
  db: Transaction,
  email: string,
  plan: Plan,
  invoices: readonly InvoiceFacts[],
): Promise<void> {
  for (const invoice of invoices) {
    if (invoice.paid === 0) continue
    await enqueueMail(db, {
      key: `receipt:${invoice.id}`,
      template: 'receipt',
      recipient: email,
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

interface FailureEmail {
  email: string
  plan: Plan
  /** Where a person updates the card. */
  portalUrl: string
  paidInvoices: readonly InvoiceFacts[]
}

/** One email for each failed attempt, unless the invoice was paid since. */
export async function sendPaymentFailures(
  db: Transaction,
  events: readonly ProviderEvent[],
  { email, plan, portalUrl, paidInvoices }: FailureEmail,
): Promise<void> {
  for (const { failedPayment } of events) {
    if (!failedPayment) continue
    const { invoiceId, attempt, cents, currency, nextAttemptAt } = failedPayment
    if (paidInvoices.some(({ id }) => id === invoiceId)) continue
    await enqueueMail(db, {
      key: `payment-failed:${invoiceId}:${attempt}`,
      template: 'payment-failed',
      recipient: email,
      data: {
        plan,
        amount: cents,
        currency,
        nextAttempt: nextAttemptAt?.toISOString() ?? null,
        portalUrl,
      },
    })
  }
}
