import { planOffers, type Plan } from '#domain/plans.ts'
import type { Database } from '#server/postgres/database.ts'

/** Payers and their paid months. */
export interface Payer {
  id: string
  plan: Plan
  months: number
}

const monthDays = 30

/**
 * One paid invoice of play money a month, settled like any other, so that commissions of both tiers follow; one was
 * refunded in part. There is no subscription behind them: the plans are set the way an admin sets them.
 */
export async function payMonths(database: Database, payers: readonly Payer[]): Promise<void> {
  await database.transactionAs({ role: 'hoplet_billing', statementTimeout: 30_000 }, async (db) => {
    for (const [p, { id, plan, months }] of payers.entries()) {
      const cents = planOffers[plan].price * 100
      for (let ago = months - 1; ago >= 0; ago--) {
        const invoice = `in_demo_${id.slice(0, 8)}_${months - ago}`
        const refunded = p === 1 && ago === 1 ? Math.round(cents / 2) : 0
        await db.query(
          `insert into app.billing_invoices (provider, invoice_id, customer_id, account_id, number, currency, paid_cents,
              base_cents, refunded_cents, paid_at)
            values ('play_money', $1, $2, $3, $4, 'usd', $5, $5, $6, now() - make_interval(days => $7))
            on conflict do nothing`,
          [
            invoice,
            `cus_demo_${id.slice(0, 8)}`,
            id,
            `DEMO-${p + 1}-${months - ago}`,
            cents,
            refunded,
            ago * monthDays + 3 + p,
          ],
        )
        await db.query(`select app.settle_invoice('play_money', $1)`, [invoice])
      }
    }
  })
}
