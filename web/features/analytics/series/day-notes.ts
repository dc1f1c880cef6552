import { queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'
import type { DayNote } from './series.ts'

/** The notes of an account, at most 500. */
export function dayNotesQuery(userId: string) {
  return queryOptions({
    queryKey: ['day-notes', userId],
    queryFn: async ({ signal }): Promise<DayNote[]> => {
      const { data } = await tables
        .from('day_notes')
        .select('id,day,text')
        .eq('user_id', userId)
        .order('day')
        .abortSignal(signal)
        .throwOnError()
      return data
    },
  })
}
