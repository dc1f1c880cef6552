import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { dollars } from '#domain/money.ts'
import { adminNotices } from '#domain/texts.ts'
import type { PayoutDueRow } from '#web/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { type Column, DataTable } from '../data-table.tsx'
import { PayoutDialog } from './payout-dialog.tsx'
import { saveDue } from './payout-export.ts'
import { payoutsDueQuery } from './payouts-query.ts'
import { RowsSkeleton } from '../rows-skeleton.tsx'
import { QueryPanel } from '#web/ui/query-panel.tsx'
import { TitledSection } from '../titled-section.tsx'

/** Whom to pay now. */
export function DuePayouts() {
  const query = useQuery(payoutsDueQuery)
  const [paying, setPaying] = useState<PayoutDueRow>()
  const columns: Column<PayoutDueRow>[] = [
    {
      head: 'Affiliate',
      cell: ({ email, affiliate_user_id }) => (
        <span className="wrap-anywhere">{email ?? affiliate_user_id}</span>
      ),
    },
    { head: 'Code', cell: ({ code }) => <span className="font-mono">{code ?? '–'}</span> },
    {
      head: 'Due',
      isFigure: true,
      cell: ({ due_cents }) => <strong className="font-semibold">{dollars(due_cents)}</strong>,
    },
    { head: 'Pending', isFigure: true, cell: ({ pending_cents }) => dollars(pending_cents) },
    { head: 'Held', isFigure: true, cell: ({ held_cents }) => dollars(held_cents) },
    { head: 'Lines', isFigure: true, cell: ({ lines }) => lines },
    {
      head: 'Actions',
      cell: (row) => (
        <Button
          size="small"
          aria-label={`Mark Paid: ${row.email ?? row.affiliate_user_id}`}
          onClick={() => setPaying(row)}
        >
          Mark Paid
        </Button>
      ),
    },
  ]
  return (
    <TitledSection
      title="Due"
      action={
        <Button
          size="small"
          disabled={(query.data?.length ?? 0) === 0}
          onClick={() => saveDue(query.data ?? [])}
        >
          <Download size={16} aria-hidden />
          Export Due as CSV
        </Button>
      }
    >
      <QueryPanel
        query={query}
        loading="Loading what is due"
        skeleton={<RowsSkeleton rows={3} />}
        failed={adminNotices.payoutsFailed}
      >
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-ink-soft">Nothing is due.</p>
          ) : (
            <DataTable
              label="Due payouts"
              columns={columns}
              rows={rows}
              rowKey={({ affiliate_user_id }) => affiliate_user_id}
            />
          )
        }
      </QueryPanel>
      <PayoutDialog row={paying} onClose={() => setPaying(undefined)} />
    </TitledSection>
  )
}
