import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { dollars } from '#domain/money.ts'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import type { PayoutDueRow } from '#web/api/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import type { Column } from '../data-table.tsx'
import { PayoutDialog } from './payout-dialog.tsx'
import { saveDue } from './payout-export.ts'
import { payoutsDueQuery } from './payouts-query.ts'
import { QueryTable } from '../query-table.tsx'
import { TitledSection } from '../titled-section.tsx'

/** Affiliates to pay now. */
export function DuePayouts() {
  const query = useQuery(payoutsDueQuery)
  const [paying, setPaying] = useState<PayoutDueRow>()

  /** The dialog goes on with the amount that is due now. */
  async function readAgain() {
    const { data } = await query.refetch()
    setPaying((old) => data?.find((row) => row.affiliate_user_id === old?.affiliate_user_id))
  }

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
      <QueryTable
        query={query}
        loading="Loading what is due"
        skeletonRows={3}
        failed={adminNotices.payoutsFailed}
        empty="Nothing is due."
        label="Due payouts"
        columns={columns}
        rowKey={({ affiliate_user_id }) => affiliate_user_id}
      />
      <PayoutDialog
        row={paying}
        onRefused={() => void readAgain()}
        onClose={() => setPaying(undefined)}
      />
    </TitledSection>
  )
}
