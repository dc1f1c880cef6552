import { type CsvCell, toCsv } from '#domain/csv.ts'
import type { PayoutDueRow, PayoutRow } from '#web/api/database-admin.ts'
import { saveCsv } from '#web/ui/save-blob.ts'

export function saveDue(rows: readonly PayoutDueRow[]): void {
  saveTable(
    'payouts-due',
    ['affiliate_id', 'email', 'code', 'due_usd', 'pending_usd', 'held_usd', 'lines'],
    rows.map((row) => [
      row.affiliate_user_id,
      row.email,
      row.code,
      { cents: row.due_cents },
      { cents: row.pending_cents },
      { cents: row.held_cents },
      row.lines,
    ]),
  )
}

export function savePaid(rows: readonly PayoutRow[]): void {
  saveTable(
    'payouts-paid',
    ['payout_id', 'paid_at', 'affiliate_id', 'email', 'amount_usd', 'reference', 'booked_by'],
    rows.map((row) => [
      row.id,
      row.created_at,
      row.affiliate_user_id,
      row.email,
      { cents: row.amount_cents },
      row.reference,
      row.made_by_email,
    ]),
  )
}

function saveTable(name: string, head: string[], rows: CsvCell[][]): void {
  saveCsv(toCsv(head, rows), `${name}-${new Date().toISOString().slice(0, 10)}.csv`)
}
