import type Stripe from 'stripe'
import type { Plan } from '#domain/plans.ts'
import type { Transaction } from '../postgres/database.ts'
import { type Account, sendFailures, sendReceipts } from './mails.ts'
import { type Decision, lostSubscriptions, openSubscriptions } from './plan-of.ts'
import type { InvoiceFacts, Truth } from './read-truth.ts'
import type { PaymentSettings } from './settings.ts'

export type Provider = PaymentSettings['provider']

/** What was read of a customer, and on account of which events. */
export interface Reading {
  provider: Provider
  customerId: string
  /** Drawn before the provider was asked. */
  ticket: string
  truth: Truth
  decision: Decision
  events: readonly Stripe.Event[]
  source: 'webhook' | 'reconcile'
  /** Where a person pays anew. */
  upgradeUrl: string
}

/**
 * Makes our tables follow the provider, in the caller's transaction: the marks of the events and all they bring about
 * come together or not at all. An answer that was asked for earlier than the one we hold is dropped: what we hold knows
 * the same and more.
 *
 * @returns `known`: each of the events had its effect before. `changed`: the plan is another one than before.
 */
export async function applyTruth(
  db: Transaction,
  reading: Reading,
): Promise<{ known: boolean; changed: boolean }> {
  const { provider, customerId, events } = reading
  const fresh = await markEvents(db, provider, events, {
    customerId,
    result: 'applied',
    source: reading.source,
  })
  if (events.length > 0 && fresh.length === 0) return { known: true, changed: false }

  const { rows } = await db.query<Account & { ticket: string; plan: Plan }>(
    `select c.ticket, c.plan, c.user_id, c.account_id, p.email from app.billing_customers c
      left join app.profiles p on p.id = c.user_id
      where c.provider = $1 and c.customer_id = $2 for update of c`,
    [provider, customerId],
  )
  const account = rows[0]
  if (!account) throw new Error('the customer is not ours')
  await sendFailures(db, reading, account, fresh)
  if (BigInt(account.ticket) > BigInt(reading.ticket)) return { known: false, changed: false }

  await writeSubscription(db, reading)
  const changed = reading.decision.plan !== account.plan
  // A plan that an admin gave holds until the subscription says something new.
  if (changed) {
    await db.query('update app.user_plans set plan_type = $2 where user_id = $1', [
      account.user_id,
      reading.decision.plan,
    ])
  }
  const added = await writeInvoices(db, reading, account.account_id)
  await sendReceipts(db, reading, account, added)
  return { known: false, changed }
}

interface Mark {
  customerId: string | null
  result: 'applied' | 'ignored'
  source: 'webhook' | 'reconcile'
}

/** Marks events as taken. Returns those that were not before. */
export async function markEvents(
  db: Transaction,
  provider: Provider,
  events: readonly Stripe.Event[],
  { customerId, result, source }: Mark,
): Promise<Stripe.Event[]> {
  if (events.length === 0) return []
  const { rows } = await db.query<{ event_id: string }>(
    `insert into app.billing_events (provider, event_id, type, customer_id, result, source, created_at)
      select $1, e.id, e.type, $2, $3, $4, to_timestamp(e.created)
      from jsonb_to_recordset($5) as e(id text, type text, created double precision) order by e.id
      on conflict do nothing returning event_id`,
    [
      provider,
      customerId,
      result,
      source,
      JSON.stringify(events.map(({ id, type, created }) => ({ id, type, created }))),
    ],
  )
  const ids = new Set(rows.map((row) => row.event_id))
  return events.filter(({ id }) => ids.has(id))
}

async function writeSubscription(db: Transaction, reading: Reading): Promise<void> {
  const { provider, customerId, ticket, truth, decision } = reading
  const { plan, subscription } = decision
  await db.query(
    `update app.billing_customers set ticket = $3, synced_at = app.billing_now(), plan = $4, subscription_id = $5,
        status = $6, price_id = $7, period_end = $8, cancel_at_period_end = $9,
        card_fingerprint = coalesce($10, card_fingerprint),
        -- Paid for after the account was deleted: it has to be cancelled once more.
        cancelled_at = case when $11 then null else cancelled_at end,
        -- A lost dispute: cancel.ts ends the subscription.
        cancel_wanted_at = case when $12 then coalesce(cancel_wanted_at, now()) else cancel_wanted_at end
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
      truth.cardFingerprint,
      openSubscriptions(truth.subscriptions).length > 0,
      lostSubscriptions(truth.subscriptions, truth.lost).length > 0,
    ],
  )
}

/** Writes the paid invoices and lets the ledger follow them. Returns those that are new. */
async function writeInvoices(
  db: Transaction,
  { provider, customerId, truth }: Reading,
  accountId: string,
): Promise<InvoiceFacts[]> {
  if (truth.invoices.length === 0) return []
  const { rows } = await db.query<{ invoice_id: string; is_new: boolean }>(
    `insert into app.billing_invoices as i (provider, invoice_id, customer_id, account_id, number, subscription_id,
        currency, paid_cents, base_cents, refunded_cents, disputed_cents, paid_at)
      select $1, f.id, $2, $3, f.number, f."subscriptionId", f.currency, f.paid, f.base, f.refunded, f.disputed, f."paidAt"
      from jsonb_to_recordset($4) as f(id text, number text, "subscriptionId" text, currency text, paid bigint,
        base bigint, refunded bigint, disputed bigint, "paidAt" timestamptz)
      on conflict (provider, invoice_id) do update set number = excluded.number,
        refunded_cents = excluded.refunded_cents, disputed_cents = excluded.disputed_cents
      returning i.invoice_id, (xmax = 0) as is_new`,
    [provider, customerId, accountId, JSON.stringify(truth.invoices)],
  )
  await db.query(
    `select app.settle_invoice(i.provider, i.invoice_id) from (
        select * from app.billing_invoices where provider = $1 and customer_id = $2 order by paid_at, invoice_id) i`,
    [provider, customerId],
  )
  const added = new Set(rows.filter(({ is_new }) => is_new).map((row) => row.invoice_id))
  return truth.invoices.filter(({ id }) => added.has(id))
}
