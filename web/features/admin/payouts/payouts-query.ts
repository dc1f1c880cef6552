import { queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/client.ts'
import type { HeldRow, PayoutDueRow, PayoutRow } from '#web/database-admin.ts'

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
  queryFn: ({ signal }) => readPayouts(shownPayouts, signal),
})

/** More of them than a screen shows, for the export. */
export function readPayouts(limit: number, signal?: AbortSignal): Promise<PayoutRow[]> {
  return answerOf(tables.rpc('admin_payouts', { _limit: limit }), signal)
}
