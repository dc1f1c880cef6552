import type { User } from '@supabase/auth-js'
import { queryOptions } from '@tanstack/react-query'
import { auth } from '#web/api/auth-client.ts'
import { oneRowOf, personTables, tables } from '#web/api/client.ts'
import { personOnScreen } from './session.ts'

/** The name of the person at the screen, or of the account that the page acts for. */
export function profileQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'profile'],
    queryFn: async ({ signal }) => {
      const source = userId === personOnScreen() ? personTables : tables
      const request = source.from('profiles').select('display_name').eq('id', userId)
      return { displayName: (await oneRowOf(request, signal))?.display_name ?? '' }
    },
  })
}

export async function saveDisplayName(userId: string, displayName: string): Promise<void> {
  await tables
    .from('profiles')
    .update({ display_name: displayName === '' ? null : displayName })
    .eq('id', userId)
    .throwOnError()
}

/** The account as the server has it now: the stored session may be an hour old. */
export function accountQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'user'],
    queryFn: async (): Promise<User> => {
      const { data, error } = await auth.getUser()
      if (error !== null) throw error
      return data.user
    },
  })
}
