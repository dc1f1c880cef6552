import { queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/api/client.ts'
import type { HeldRow, PayoutDueRow, PayoutRow } from '#web/api/database-admin.ts'

/** Payees and amounts. */
export const payoutsDueQuery = queryOptions({
  queryKey: ['admin', 'payouts', 'due'],
  queryFn: ({ signal }): Promise<PayoutDueRow[]> =>
    answerOf(tables.rpc('admin_payouts_due', {}), signal),
})

/** Commissions that wait for an admin, because payer and affiliate look like one person. */
export const heldQuery = queryOptions({
  queryKey: ['admin', 'payouts', 'held'],
  queryFn: ({ signal }): Promise<HeldRow[]> =>
    answerOf(tables.rpc('admin_held_commissions', {}), signal),
})

const shownPayouts = 100

/** The newest payouts that were made. */
export const payoutsQuery = queryOptions({
  queryKey: ['admin', 'payouts', 'made'],
  queryFn: ({ signal }): Promise<PayoutRow[]> =>
    answerOf(tables.rpc('admin_payouts', { _limit: shownPayouts }), signal),
})

const payoutsPerPage = 1_000

/** All of them, for the export. */
export async function readAllPayouts(): Promise<PayoutRow[]> {
  const rows: PayoutRow[] = []
  for (;;) {
    const page = await answerOf(
      tables.rpc('admin_payouts', {
        _limit: payoutsPerPage,
        _before_created_at: rows.at(-1)?.created_at ?? null,
        _before_id: rows.at(-1)?.id ?? null,
      }),
    )
    rows.push(...page)
    if (page.length < payoutsPerPage) return rows
  }
}
