import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'

/** Whether the account is an admin's: its role row, read by user_id. */
export function adminQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'is-admin'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const { data } = await tables
        .from('user_roles')
        .select('role')
        .eq('user_id', userId)
        .eq('role', 'admin')
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data !== null
    },
  })
}
