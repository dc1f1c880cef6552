import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { PersonExport } from '../tokens/person.ts'

/** Payments of a person. */
export function exportOfPayments(database: Database): PersonExport {
  return {
    async facts({ id }) {
      const [facts] = await queryAs(
        database,
        { role: 'hoplet_billing', readOnly: true },
        `select coalesce(jsonb_agg(jsonb_build_object('number', number, 'currency', currency, 'paid_cents', paid_cents,
            'refunded_cents', refunded_cents, 'paid_at', paid_at) order by paid_at), '[]') as payments
          from app.billing_invoices where account_id = $1`,
        [id],
      )
      return facts ?? {}
    },
  }
}
