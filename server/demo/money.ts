import { planOffers, type Plan } from '#domain/plans.ts'
import type { Database } from '../postgres/database.ts'

/** Who paid how many months. */
export interface Payer {
  id: string
  plan: Plan
  months: number
}

const month = 30

/**
 * A paid invoice a month, settled like any other, so that commissions of both tiers follow; one of them was refunded in
 * part. There is no subscription behind them: the plans are given, as an admin gives them.
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
            ago * month + 3 + p,
          ],
        )
        await db.query(`select app.settle_invoice('play_money', $1)`, [invoice])
      }
    }
  })
}

/** What is due to the affiliate by now is paid out. */
export async function payOut(database: Database, affiliate: string, admin: string): Promise<void> {
  await database.transactionAs({ role: 'hoplet_owner' }, (db) =>
    db.query(`select app.make_payout($1, $2, 'Bank transfer, demo')`, [affiliate, admin]),
  )
}
