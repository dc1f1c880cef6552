import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { dollars } from '#domain/money.ts'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import type { PayoutRow } from '#web/api/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { notifyError } from '#web/ui/toasts/notify.ts'
import type { Column } from '../data-table.tsx'
import { savePaid } from './payout-export.ts'
import { payoutsQuery, readAllPayouts } from './payouts-query.ts'
import { QueryTable } from '../query-table.tsx'
import { dayOf } from '#web/ui/time-words.ts'
import { TitledSection } from '../titled-section.tsx'

const columns: Column<PayoutRow>[] = [
  { head: 'Paid', cell: ({ created_at }) => dayOf(created_at), className: 'whitespace-nowrap' },
  {
    head: 'Affiliate',
    cell: ({ email, affiliate_user_id }) => (
      <span className="wrap-anywhere">{email ?? affiliate_user_id}</span>
    ),
  },
  { head: 'Amount', isFigure: true, cell: ({ amount_cents }) => dollars(amount_cents) },
  {
    head: 'Reference',
    cell: ({ reference }) => <span className="wrap-anywhere">{reference ?? '–'}</span>,
  },
  {
    head: 'Booked by',
    cell: ({ made_by_email }) => <span className="wrap-anywhere">{made_by_email ?? '–'}</span>,
  },
]

/** Past payouts. */
export function PayoutHistory() {
  const query = useQuery(payoutsQuery)
  const [busy, setBusy] = useState(false)

  async function exportAll() {
    setBusy(true)
    try {
      savePaid(await readAllPayouts())
    } catch {
      notifyError(adminNotices.payoutsFailed)
    } finally {
      setBusy(false)
    }
  }

  return (
    <TitledSection
      title="Paid"
      action={
        <Button
          size="small"
          busy={busy}
          disabled={(query.data?.length ?? 0) === 0}
          onClick={() => void exportAll()}
        >
          <Download size={16} aria-hidden />
          Export Paid as CSV
        </Button>
      }
    >
      <QueryTable
        query={query}
        loading="Loading payouts"
        skeletonRows={3}
        failed={adminNotices.payoutsFailed}
        empty="Nothing has been paid yet."
        label="Paid"
        columns={columns}
        rowKey={({ id }) => id}
      />
    </TitledSection>
  )
}
