import type { Plan } from '#domain/plans.ts'
import { enqueueMail } from '../mail/outbox.ts'
import type { Transaction } from '../postgres/database.ts'
import { onlyRow } from '../postgres/rows.ts'
import { asBilling, type BillingDeps } from './deps.ts'
import {
  decidePlan,
  lostSubscriptions,
  openSubscriptions,
  type PlanDecision,
} from './plan-decision.ts'
import type { FailedPayment, InvoiceFacts, ProviderEvent, ProviderSnapshot } from './provider.ts'
import type { PaymentProviderName } from './settings.ts'

/** How an event arrived. */
export type SyncSource = 'webhook' | 'reconcile'

export interface Synced {
  snapshot: ProviderSnapshot
  /** Every event had its effect before. */
  known: boolean
  /** The plan differs from the one we had. */
  changed: boolean
}

/** Snapshot of a customer, and the events that caused the read. */
interface SnapshotReading {
  customerId: string
  /** Drawn before the provider was asked. */
  ticket: string
  snapshot: ProviderSnapshot
  decision: PlanDecision
  events: readonly ProviderEvent[]
  source: SyncSource
}

/**
 * Reads one customer at the provider and makes our tables follow.
 *
 * @param events the reason to read; their contents are not trusted
 * @throws {PaymentProviderError | DatabaseUnavailableError} then nothing has changed
 */
export async function syncCustomer(
  deps: BillingDeps,
  customerId: string,
  events: readonly ProviderEvent[] = [],
  source: SyncSource = 'reconcile',
): Promise<Synced> {
  const { provider, log } = deps
  const { ticket } = await asBilling(deps, (db) =>
    onlyRow<{ ticket: string }>(db, `select nextval('app.billing_tickets') as ticket`, []),
  )
  const snapshot = await provider.readSnapshot(customerId)
  const decision = decidePlan(snapshot, provider.prices)
  const reading = { customerId, ticket, snapshot, decision, events, source }
  const outcome = await asBilling(deps, (db) => applySnapshot(db, deps, reading))
  const facts = { customer: customerId, plan: decision.plan, source }
  if (outcome.changed) log.info(facts, 'plan follows the subscription')
  return { snapshot, ...outcome }
}

/**
 * Makes our tables follow the provider: the marks of the events and all their effects commit together. A snapshot that
 * was requested before the stored one is dropped: the stored one is newer.
 */
async function applySnapshot(
  db: Transaction,
  { provider: { name: provider }, upgradeUrl }: BillingDeps,
  reading: SnapshotReading,
): Promise<Omit<Synced, 'snapshot'>> {
  const { customerId, events, snapshot, source } = reading
  const { plan } = reading.decision
  const added = await markEvents(db, provider, events, customerId, source)
  if (events.length > 0 && added.length === 0) return { known: true, changed: false }

  const customer = await lockCustomer(db, provider, customerId)
  const { email } = customer
  if (email !== null) {
    const failed = added.flatMap(({ failedPayment }) => failedPayment ?? [])
    const unpaid = failed.filter(({ invoiceId: id }) => !snapshot.invoices.some((i) => i.id === id))
    await sendPaymentFailures(db, email, plan, unpaid, upgradeUrl())
  }
  if (BigInt(customer.ticket) > BigInt(reading.ticket)) return { known: false, changed: false }

  await writeSubscription(db, provider, reading)
  const changed = plan !== customer.plan
  // A plan that an admin set holds until the subscription changes.
  if (changed) {
    await db.query('update app.user_plans set plan_type = $2 where user_id = $1', [
      customer.user_id,
      plan,
    ])
  }
  const newInvoices = await writeInvoices(db, provider, reading, customer.account_id)
  if (email !== null) await sendReceipts(db, email, plan, newInvoices)
  return { known: false, changed }
}

interface LockedCustomer {
  ticket: string
  plan: Plan
  user_id: string | null
  account_id: string
  /** Null when the account is gone. */
  email: string | null
}

function lockCustomer(
  db: Transaction,
  provider: PaymentProviderName,
  customerId: string,
): Promise<LockedCustomer> {
  return onlyRow(
    db,
    `select c.ticket, c.plan, c.user_id, c.account_id, coalesce(p.email, app.space_mailbox(p.id)) as email from app.billing_customers c
      left join app.profiles p on p.id = c.user_id
      where c.provider = $1 and c.customer_id = $2 for update of c`,
    [provider, customerId],
  )
}

/**
 * Marks events as handled: applied to that customer, or ignored without one. Returns the ones that were not marked before.
 */
export async function markEvents(
  db: Transaction,
  provider: PaymentProviderName,
  events: readonly ProviderEvent[],
  customerId: string | null,
  source: SyncSource,
): Promise<ProviderEvent[]> {
  if (events.length === 0) return []
  const { rows } = await db.query<{ event_id: string }>(
    `insert into app.billing_events (provider, event_id, type, customer_id, result, source, created_at)
      select $1, e.id, e.type, $2::text, case when $2::text is null then 'ignored' else 'applied' end, $3, e."createdAt"
      from jsonb_to_recordset($4) as e(id text, type text, "createdAt" timestamptz) order by e.id
      on conflict do nothing returning event_id`,
    [
      provider,
      customerId,
      source,
      JSON.stringify(events.map(({ id, type, createdAt }) => ({ id, type, createdAt }))),
    ],
  )
  const ids = new Set(rows.map((row) => row.event_id))
  return events.filter(({ id }) => ids.has(id))
}

async function writeSubscription(
  db: Transaction,
  provider: PaymentProviderName,
  { customerId, ticket, snapshot, decision: { plan, subscription } }: SnapshotReading,
): Promise<void> {
  await db.query(
    `update app.billing_customers set ticket = $3, synced_at = now(), plan = $4, subscription_id = $5,
        status = $6, price_id = $7, period_end = $8, cancel_at_period_end = $9,
        card_fingerprint = coalesce($10, card_fingerprint),
        -- Paid after the account was deleted: it has to be canceled again.
        canceled_at = case when $11 then null else canceled_at end,
        -- A lost dispute: cancel-requests.ts ends the subscription.
        cancel_requested_at = case when $12 then coalesce(cancel_requested_at, now()) else cancel_requested_at end
      where provider = $1 and customer_id = $2`,
    [
      provider,
      customerId,
      ticket,
      plan,
      subscription?.id ?? null,
      subscription?.status ?? null,
      subscription?.priceId ?? null,
      subscription?.periodEnd ?? null,
      subscription?.cancelsAtPeriodEnd ?? false,
      snapshot.cardFingerprint,
      openSubscriptions(snapshot.subscriptions).length > 0,
      lostSubscriptions(snapshot).length > 0,
    ],
  )
}

/** Writes the paid invoices and lets the ledger follow. Returns the new ones. */
async function writeInvoices(
  db: Transaction,
  provider: PaymentProviderName,
  { customerId, snapshot }: SnapshotReading,
  accountId: string,
): Promise<InvoiceFacts[]> {
  if (snapshot.invoices.length === 0) return []
  const { rows } = await db.query<{ invoice_id: string; is_new: boolean }>(
    `insert into app.billing_invoices as i (provider, invoice_id, customer_id, account_id, number, subscription_id,
        currency, paid_cents, base_cents, refunded_cents, disputed_cents, paid_at)
      select $1, f.id, $2, $3, f.number, f."subscriptionId", f.currency, f.paid, f.base, f.refunded, f.disputed, f."paidAt"
      from jsonb_to_recordset($4) as f(id text, number text, "subscriptionId" text, currency text, paid bigint,
        base bigint, refunded bigint, disputed bigint, "paidAt" timestamptz)
      on conflict (provider, invoice_id) do update set number = excluded.number,
        refunded_cents = excluded.refunded_cents, disputed_cents = excluded.disputed_cents
      returning i.invoice_id, (xmax = 0) as is_new`,
    [provider, customerId, accountId, JSON.stringify(snapshot.invoices)],
  )
  await db.query(
    `select app.settle_invoice(i.provider, i.invoice_id) from (
        select * from app.billing_invoices where provider = $1 and customer_id = $2 order by paid_at, invoice_id) i`,
    [provider, customerId],
  )
  const added = new Set(rows.filter(({ is_new }) => is_new).map((row) => row.invoice_id))
  return snapshot.invoices.filter(({ id }) => added.has(id))
}

/** One email for each paid invoice with an amount. */
async function sendReceipts(
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
async function sendPaymentFailures(
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
