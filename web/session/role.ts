import { queryOptions } from '@tanstack/react-query'

/** Whether the account is an admin's: its role row, read by user_id. */
export function adminQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'is-admin'],
    staleTime: 60_000,
    // Not given up with the sidebar that asked: a guard may wait for it (web/app/guards.ts).
    queryFn: async () => {
      const { tables } = await import('#web/api/client.ts')
      const { data } = await tables
        .from('user_roles')
        .select('role')
        .eq('user_id', userId)
        .eq('role', 'admin')
        .maybeSingle()
        .throwOnError()
      return data !== null
    },
  })
}
