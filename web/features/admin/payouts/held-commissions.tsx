import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { dollars } from '#domain/money.ts'
import { adminNotices } from '#domain/texts/admin-texts.ts'
import { tables } from '#web/api/client.ts'
import type { HeldRow } from '#web/api/database-admin.ts'
import { Button } from '#web/ui/button.tsx'
import { ConfirmDialog } from '#web/ui/dialogs/confirm-dialog.tsx'
import type { Column } from '../data-table.tsx'
import { heldQuery } from './payouts-query.ts'
import { QueryTable } from '../query-table.tsx'
import { dayOf } from '#web/ui/time-words.ts'
import { TitledSection } from '../titled-section.tsx'
import { useAdminMutation } from '../use-admin-mutation.ts'

/** Commissions that wait for an admin's review before they are paid. */
export function HeldCommissions() {
  const query = useQuery(heldQuery)
  const [canceling, setCanceling] = useState<HeldRow>()
  const decide = useAdminMutation({
    run: async ({ id, release }: { id: string; release: boolean }) => {
      await tables.rpc('admin_decide_held', { _id: id, _release: release }).throwOnError()
    },
    done: (_, { release }) => (release ? adminNotices.heldReleased : adminNotices.heldCanceled),
    failed: adminNotices.heldFailed,
  })
  const columns: Column<HeldRow>[] = [
    { head: 'Affiliate', cell: ({ email }) => <Address>{email}</Address> },
    { head: 'Paid by', cell: ({ payer_email }) => <Address>{payer_email}</Address> },
    {
      head: 'Why held',
      cell: ({ same_mailbox }) => (same_mailbox ? 'Same mailbox' : 'Same card'),
    },
    {
      head: 'Amount',
      isFigure: true,
      cell: ({ amount_cents, rate_percent, base_cents, tier }) => (
        <>
          <span className="block">{dollars(amount_cents)}</span>
          <span className="block text-sm text-ink-soft lg:whitespace-nowrap">
            {rate_percent}% of {dollars(base_cents)}, tier {tier}
          </span>
        </>
      ),
    },
    { head: 'Earned', cell: ({ created_at }) => dayOf(created_at), className: 'whitespace-nowrap' },
    {
      head: 'Actions',
      cell: (row) => (
        <span className="flex flex-wrap gap-2">
          <Button
            size="small"
            busy={decide.isPending}
            aria-label={`Release: ${nameOf(row)}`}
            onClick={() => decide.mutate({ id: row.id, release: true })}
          >
            Release
          </Button>
          <Button
            size="small"
            look="danger"
            aria-label={`Cancel It: ${nameOf(row)}`}
            onClick={() => setCanceling(row)}
          >
            Cancel It
          </Button>
        </span>
      ),
    },
  ]
  return (
    <TitledSection
      title="Held"
      intro="Payer and affiliate look like one person. A released commission becomes due at its usual time."
    >
      <QueryTable
        query={query}
        loading="Loading what is held"
        skeletonRows={3}
        failed={adminNotices.payoutsFailed}
        empty="Nothing is held."
        label="Held commissions"
        columns={columns}
        rowKey={({ id }) => id}
      />
      <ConfirmDialog
        subject={canceling}
        title="Cancel this commission?"
        describe={({ amount_cents, email }) => (
          <>
            {dollars(amount_cents)} of{' '}
            <span className="text-ink wrap-anywhere">{email ?? 'a deleted account'}</span> will
            never be paid. This cannot be undone.
          </>
        )}
        action="Cancel the Commission"
        busyAction="Canceling..."
        busy={decide.isPending}
        onClose={() => setCanceling(undefined)}
        onConfirm={(row) =>
          decide.mutate(
            { id: row.id, release: false },
            { onSuccess: () => setCanceling((now) => (now === row ? undefined : now)) },
          )
        }
      />
    </TitledSection>
  )
}

function Address({ children }: { children: string | null }) {
  return <span className="wrap-anywhere">{children ?? '–'}</span>
}

function nameOf({ amount_cents, email }: HeldRow): string {
  return `${dollars(amount_cents)} of ${email ?? 'a deleted account'}`
}
