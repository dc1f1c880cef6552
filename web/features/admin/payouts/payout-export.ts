import { type CsvCell, toCsv } from '#domain/csv.ts'
import type { PayoutDueRow, PayoutRow } from '#web/database-admin.ts'
import { saveBlob } from '#web/ui/save-blob.ts'

export function saveDue(rows: readonly PayoutDueRow[]): void {
  saveCsv(
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
  saveCsv(
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

function saveCsv(name: string, head: string[], rows: CsvCell[][]): void {
  const file = new Blob([toCsv(head, rows)], { type: 'text/csv;charset=utf-8' })
  saveBlob(file, `${name}-${new Date().toISOString().slice(0, 10)}.csv`)
}
