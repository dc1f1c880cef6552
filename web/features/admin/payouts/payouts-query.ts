import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'
import type { HeldRow, PayoutDueRow, PayoutRow } from '#web/database-admin.ts'

/** Payees and amounts. */
export const payoutsDueQuery = queryOptions({
  queryKey: ['admin', 'payouts', 'due'],
  queryFn: async ({ signal }): Promise<PayoutDueRow[]> => {
    const { data } = await tables.rpc('admin_payouts_due', {}).abortSignal(signal).throwOnError()
    return data
  },
})

/** Commissions that wait for an admin, because payer and affiliate look like one person. */
export const heldQuery = queryOptions({
  queryKey: ['admin', 'payouts', 'held'],
  queryFn: async ({ signal }): Promise<HeldRow[]> => {
    const { data } = await tables
      .rpc('admin_held_commissions', {})
      .abortSignal(signal)
      .throwOnError()
    return data
  },
})

const shownPayouts = 100

/** The newest payouts that were made. */
export const payoutsQuery = queryOptions({
  queryKey: ['admin', 'payouts', 'made'],
  queryFn: async ({ signal }): Promise<PayoutRow[]> => readPayouts(shownPayouts, signal),
})

/** More of them than a screen shows, for the export. */
export async function readPayouts(limit: number, signal?: AbortSignal): Promise<PayoutRow[]> {
  const { data } = await tables
    .rpc('admin_payouts', { _limit: limit })
    .abortSignal(signal ?? new AbortController().signal)
    .throwOnError()
  return data
}
